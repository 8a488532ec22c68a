// Talking to the server: JSON questions, problem answers, and the analysis stream.

/** A refusal by the server (application/problem+json), or a connection that failed. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The server answered ${status}.`);
    this.status = status;
    this.field = body.field;
  }
}

const MAX_TRIES = 20;

async function problemOf(response) {
  const body = await response.json().catch(() => ({}));
  return new Problem(response.status, body);
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

/** Asks once more for as long as the server says 429, after the time it names. */
async function ask(path, options, onBusy) {
  for (let tries = 1; ; tries += 1) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Problem(0, { detail: "The server can't be reached." });
    }
    if (response.ok) return response;
    if (response.status !== 429 || tries >= MAX_TRIES) throw await problemOf(response);
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    onBusy?.(seconds);
    await pause(seconds, options.signal);
  }
}

/** Posts an object and returns the answer's object. */
export async function post(path, body, { signal, onBusy } = {}) {
  const response = await ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  }, onBusy);
  return response.json();
}

export async function get(path, { signal } = {}) {
  return (await ask(path, { signal })).json();
}

export async function remove(path) {
  await fetch(path, { method: "DELETE" }).catch(() => {});
}

/** Reads server-sent events; aborting the signal closes the stream, which stops the search. */
export async function stream(path, signal, onEvent, onBusy) {
  const response = await ask(path, { headers: { Accept: "text/event-stream" }, signal }, onBusy);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event = readEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) onEvent(event.name, event.data);
    }
  }
}

function readEvent(block) {
  let name = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  return data ? { name, data: JSON.parse(data) } : null;
}
