// The HTTP client: JSON requests, error responses, and the analysis stream.

/** An error response (application/problem+json) or a failed connection. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The server returned status ${status}.`);
    this.status = status;
    this.field = body.field;
  }
}

const MAX_TRIES = 20;

async function errorFrom(response) {
  const body = await response.json().catch(() => ({}));
  return new ApiError(response.status, body);
}

function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

/** Sends a request; repeats it after `Retry-After` while the server returns 429. */
async function send(path, options, onBusy) {
  for (let tries = 1; ; tries += 1) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ApiError(0, { detail: "The server cannot be reached." });
    }
    if (response.ok) return response;
    if (response.status !== 429 || tries >= MAX_TRIES) throw await errorFrom(response);
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    onBusy?.(seconds);
    await sleep(seconds, options.signal);
  }
}

/** Posts JSON and returns the JSON of the response. */
export async function post(path, body, { signal, onBusy } = {}) {
  const response = await send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  }, onBusy);
  return response.json();
}

export async function get(path, { signal } = {}) {
  return (await send(path, { signal })).json();
}

export async function remove(path) {
  await fetch(path, { method: "DELETE" }).catch(() => {});
}

/** Reads server-sent events. Aborting the signal closes the stream, which stops the search. */
export async function stream(path, signal, onEvent, onBusy) {
  const response = await send(path, { headers: { Accept: "text/event-stream" }, signal }, onBusy);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) onEvent(event.name, event.data);
    }
  }
}

function parseEvent(block) {
  let name = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  return data ? { name, data: JSON.parse(data) } : null;
}
