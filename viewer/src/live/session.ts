// The worker that runs the model, as the page sees it: messages there and back.

import type { FromWorker, ToWorker } from "../../engine/protocol.ts";
import type { LiveParts } from "./parts.ts";

type Handlers = { [K in FromWorker["type"]]: (message: Extract<FromWorker, { type: K }>) => void };

export class Session {
  private worker: Worker;

  constructor(parts: LiveParts, handlers: Handlers, failed: (text: string) => void) {
    const address = URL.createObjectURL(new Blob([parts.worker], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === "ready") URL.revokeObjectURL(address);
      (handlers[data.type] as (message: FromWorker) => void)(data);
    };
    this.worker.onerror = (event) => failed(event.message || "its script could not be started");
    const engine = parts.engine();
    this.send({ type: "start", engine }, [engine]);
  }

  send(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }
}
