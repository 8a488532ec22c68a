// What the tests share: the package, its program, a file server, a browser.

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';

/** The folder of the package. */
export const PACKAGE = new URL('../../target/npm/', import.meta.url);
export const REPOSITORY = new URL('../../', import.meta.url);
/** How often chromedriver is started until it has a port. */
const DRIVER_STARTS = 10;

/** The program of the package with these arguments, or another script of it. */
export class Program {
  constructor(script = 'cli.js', ...args) {
    this.process = spawn(process.execPath, [new URL(script, PACKAGE).pathname, ...args]);
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    this.exit = new Promise((resolve) => {
      this.process.on('exit', resolve);
    });
  }

  send(...lines) {
    this.process.stdin.write(`${lines.join('\n')}\n`);
  }

  /** Reads lines until one begins with this text; returns all of them. */
  async readUntil(start) {
    const read = [];
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) {
        throw new Error(`the output ended before "${start}": ${read.join('\n')}`);
      }
      read.push(value);
      if (value.startsWith(start)) {
        return read;
      }
    }
  }

  /** Sends lines, closes the input and returns all output. */
  async finish(...lines) {
    this.process.stdin.end(lines.map((line) => `${line}\n`).join(''));
    const read = [];
    for (let line = await this.lines.next(); !line.done; line = await this.lines.next()) {
      read.push(line.value);
    }
    return { lines: read, status: await this.exit };
  }
}

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Serves a folder, and pages given as text. An isolated page may share memory with its workers. */
export async function serve(folder, { pages = {}, isIsolated = false } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    if (isIsolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    try {
      const content = pages[path] ?? await readFile(new URL(`.${path}`, folder));
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Starts chromedriver; its process and port, null if it is not installed, undefined if it ended without
 * a port. It chooses a free port for IPv4 and then needs the same one for IPv6, which another process
 * may take in between.
 */
function tryDriver() {
  const driver = spawn('chromedriver', ['--port=0']);
  return new Promise((resolve) => {
    driver.on('error', () => resolve(null));
    driver.on('close', () => resolve(undefined));
    createInterface({ input: driver.stdout }).on('line', (line) => {
      const found = /started successfully on port (\d+)/.exec(line);
      if (found) {
        resolve({ driver, port: found[1] });
      }
    });
  });
}

/** Starts chromedriver, again if it ends without a port; null if it is not installed. */
async function startDriver() {
  for (let start = 0; start < DRIVER_STARTS; start += 1) {
    const started = await tryDriver();
    if (started !== undefined) {
      return started;
    }
  }
  throw new Error(`chromedriver ended ${DRIVER_STARTS} times before it printed its port`);
}

/** A session of Chromium by the WebDriver protocol; null if there is no Chromium. */
export async function startBrowser() {
  const started = await startDriver();
  if (!started) {
    return null;
  }
  const { driver, port } = started;
  const command = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      body: body && JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) {
      throw new Error(`${value.error}: ${value.message}`);
    }
    return value;
  };
  const options = { args: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'] };
  const { sessionId } = await command('POST', '', {
    capabilities: { alwaysMatch: { browserName: 'chrome', 'goog:chromeOptions': options } },
  });
  await command('POST', `/${sessionId}/timeouts`, { script: 60_000 });
  return {
    open: (url) => command('POST', `/${sessionId}/url`, { url }),
    /** Runs the body of an asynchronous function in the page and returns its result. */
    run: async (body, ...args) => {
      const script = `const [...args] = arguments; const done = args.pop();
        (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error.stack ?? error) }));`;
      const { value, error } = await command('POST', `/${sessionId}/execute/async`, { script, args });
      if (error) {
        throw new Error(error);
      }
      return value;
    },
    /** Cuts or restores the network. */
    setOffline: (offline) => command('POST', `/${sessionId}/chromium/network_conditions`, {
      network_conditions: { offline, latency: 0, throughput: -1 },
    }),
    async close() {
      await command('DELETE', `/${sessionId}`);
      driver.kill();
    },
  };
}
