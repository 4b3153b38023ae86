// The bar with the time: play, scrub, speed, loop. Shows the player's state and changes it.

import { h, icon, iconButton } from "./dom.ts";
import { SPEEDS, type Player } from "./player.ts";

/** As many decimals as the length of the run needs. */
export function timeText(time: number, duration: number): string {
  const decimals = duration >= 100 ? 1 : duration >= 2 ? 2 : duration >= 0.2 ? 3 : 4;
  return time.toFixed(decimals);
}

const speedText = (speed: number) => (speed < 1 ? `1/${Math.round(1 / speed)} ×` : `${speed} ×`);

const STEPS = 10000;

export function playerBar(holder: HTMLElement, player: Player): void {
  const duration = player.last - player.first;
  const play = iconButton("play", "Play (space)", () => player.toggle(), { id: "play" });
  const start = iconButton("start", "To the start (home)", () => player.seek(player.first), {
    class: "icon wide-only",
  });
  const end = iconButton("end", "To the end (end)", () => player.seek(player.last), {
    class: "icon wide-only",
  });
  const scrub = h("input", {
    type: "range", id: "scrub", min: "0", max: String(STEPS), step: "1", value: "0",
    "aria-label": "Time",
    input: () => player.seek(player.first + (Number(scrub.value) / STEPS) * duration),
  });
  const clock = h("output", { id: "clock", "aria-live": "off" });
  const speed = h("select", {
    id: "speed", "aria-label": "Speed", title: "Speed against real time",
    change: () => player.setSpeed(Number(speed.value)),
  }, ...SPEEDS.map((value) => h("option", { value: String(value) }, speedText(value))));
  const loop = iconButton("loop", "Repeat (l)", () => player.setLoop(!player.loop), { id: "loop" });
  holder.append(start, play, end, scrub, clock, speed, loop);

  const head = document.getElementById("head-time");
  let wasPlaying: boolean | null = null;
  const show = () => {
    const part = duration > 0 ? (player.time - player.first) / duration : 0;
    const at = String(Math.round(STEPS * part));
    if (scrub.value !== at) scrub.value = at;
    scrub.style.setProperty("--part", `${100 * part}%`);
    const text = timeText(player.time, duration);
    scrub.setAttribute("aria-valuetext", `${text} seconds`);
    if (head) head.textContent = `t = ${text} s`;
    clock.textContent = `${text} / ${timeText(player.last, duration)} s`;
    if (wasPlaying !== player.playing) {
      wasPlaying = player.playing;
      play.replaceChildren(icon(player.playing ? "pause" : "play"));
      play.setAttribute("aria-label", player.playing ? "Pause (space)" : "Play (space)");
    }
    if (![...speed.options].some((option) => Number(option.value) === player.speed)) {
      speed.append(h("option", { value: String(player.speed) }, `${player.speed} ×`));
    }
    speed.value = String(player.speed);
    loop.setAttribute("aria-pressed", String(player.loop));
  };
  player.onChange(show);
  show();
}
