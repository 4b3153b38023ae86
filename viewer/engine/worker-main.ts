// The script of the worker: Runner (worker.ts) at a worker's messages.

import type { ToWorker } from "./protocol.ts";
import { Runner } from "./worker.ts";

interface Scope {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}
const scope = self as unknown as Scope;
const turn = new MessageChannel();
const waiting: (() => void)[] = [];
turn.port1.onmessage = () => waiting.shift()?.();

const runner = new Runner({
  post: (message, transfer = []) => scope.postMessage(message, transfer),
  soon: (call) => {
    waiting.push(call);
    turn.port2.postMessage(0);
  },
  later: (call, milliseconds) => void setTimeout(call, milliseconds),
});
let last = Promise.resolve();
scope.onmessage = ({ data }) => {
  last = last.then(() => runner.take(data));
};
