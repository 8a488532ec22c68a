// The recipes of the package's README: each is built as it is written there, and run in Chromium or by its program.

import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { PACKAGE, REPOSITORY, serve, startBrowser } from './support.js';

/** The bundlers and runtimes (`npm install --prefix target/recipes vite webpack …`). */
const TOOLS = fileURLToPath(new URL('target/recipes/node_modules/.bin', REPOSITORY));
const README = readFileSync(new URL('README.md', PACKAGE), 'utf8');
const [, APP] = /```js\n(.*?)```/s.exec(README);
const RECIPES = [...README.matchAll(/^\| ([\w ]+) \| (?:`(.*?)`)? ?\| (?:`(.*?)`)? ?\|$/gm)]
  .map(([, name, command, page]) => ({ name, command, page }));
const env = { ...process.env, PATH: `${TOOLS}:${process.env.PATH}` };

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** What the page prints last. */
async function printed(folder) {
  const server = await serve(pathToFileURL(`${folder}/`));
  try {
    await browser.open(server.address);
    return await browser.run(`
      while (!/^(best|Error)/.test(document.title)) await new Promise((resolve) => setTimeout(resolve, 20));
      return document.title;`);
  } finally {
    server.close();
  }
}

/** A folder with the program, its page and the package. */
function project(page) {
  const folder = mkdtempSync(join(tmpdir(), 'saavedra-'));
  cpSync(fileURLToPath(PACKAGE), join(folder, 'node_modules/saavedra'), { recursive: true });
  const log = `<script>
    console.log = (...words) => { document.title = words.join(' '); };
    addEventListener('unhandledrejection', ({ reason }) => { document.title = 'Error: ' + reason; });
  </script>`;
  const files = { 'package.json': '{ "type": "module" }', 'app.js': APP, 'index.html': `<!doctype html>${log}${page}` };
  Object.entries(files).forEach(([name, text]) => writeFileSync(join(folder, name), text));
  return folder;
}

test('the README has the recipes', () => {
  assert.deepEqual(RECIPES.map(({ name }) => name), ['Vite', 'webpack', 'esbuild', 'no bundler', 'Node', 'Deno', 'Bun']);
});

for (const { name, command, page } of RECIPES) {
  test(`recipe: ${name}`, async (t) => {
    const program = command?.split(' ')[0];
    if (program && program !== 'node' && !existsSync(join(TOOLS, program))) {
      t.skip(`no ${program}`);
      return;
    }
    if (page && !browser) {
      t.skip('no Chromium');
      return;
    }
    const folder = project(page);
    try {
      const output = command && execSync(command, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
      if (command && page) {
        mkdirSync(join(folder, 'dist'), { recursive: true });
        if (name !== 'Vite') {
          cpSync(join(folder, 'index.html'), join(folder, 'dist/index.html'));
        }
      }
      const last = page ? await printed(command ? join(folder, 'dist') : folder) : output.trim().split('\n').at(-1);
      assert.match(last, /^best [a-hNBRQKO]/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
