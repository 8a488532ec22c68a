// Waiting.

/** Waits this many milliseconds, by default only for what else the browser has to do. `signal` ends it with its reason. */
export function wait(milliseconds = 0, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
