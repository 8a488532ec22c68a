// The board page without a server, in Chromium: after the first load the network is cut. `make site` builds it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REPOSITORY, serve, startBrowser } from './support.js';

/** The folder above the site: it must work below any address. */
const ABOVE = new URL('target/', REPOSITORY);

let browser;
before(async () => {
  browser = await startBrowser();
  if (!browser) {
    console.log('no Chromium: the tests of the page without a server are skipped');
  }
});
after(() => browser?.close());

const HELPERS = `
  const $ = (id) => document.getElementById(id);
  /** Waits until a condition holds. */
  const until = async (condition) => {
    for (;;) {
      const value = await condition();
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await until(() => document.body?.dataset.ready === 'true');
  const select = (id, value) => { $(id).value = value; $(id).dispatchEvent(new Event('change')); };
  const play = (move) => { $('move').value = move; $('entry').requestSubmit(); };
`;
const inPage = (body) => browser.run(HELPERS + body);

test('the page plays, analyses and reviews without a network', async (t) => {
  if (!browser) {
    t.skip('no Chromium');
    return;
  }
  const server = await serve(ABOVE);
  const address = `${server.address}site/`;
  try {
    await browser.open(address);
    const first = await inPage(`
      await navigator.serviceWorker.ready;
      await until(() => navigator.serviceWorker.controller);
      // The first request through a worker that has just started may fail.
      const { href } = document.querySelector('link[rel=manifest]');
      const manifest = await until(() => fetch(href).then((answer) => answer.json()).catch(() => null));
      return { place: $('place').textContent, name: manifest.name };`);
    assert.deepEqual(first, { place: 'The engine runs in this browser.', name: 'Saavedra' });
  } finally {
    server.close();
  }
  await browser.setOffline(true);
  await browser.open(address);
  const played = await inPage(`
    select('movetime', '100');
    play('e4');
    const fen = await until(() => /4P3.* w /.test($('fen').value) && $('fen').value);
    const isolated = crossOriginIsolated;
    return { fen, isolated };`);
  assert.ok(played.isolated, 'the service worker isolates the page');
  assert.match(played.fen, /4P3/);
  const again = await inPage(`
    // The module that the page uses.
    const { Engine } = await import(new URL('engine/index.js', location.href).href);
    const { newGame } = Engine.prototype;
    let newGames = 0;
    Engine.prototype.newGame = function () { newGames += 1; return newGame.call(this); };
    $('new').click();
    $('new-start').click();
    await until(() => $('moves').textContent === '');
    play('d4');
    await until(() => /3P4.* w /.test($('fen').value));
    return newGames;`);
  assert.equal(again, 1, 'a new game is one for the engine, too');
  const analysed = await inPage(`
    $('new').click();
    select('engine', '');
    $('new-apply').click();
    $('analyse').click();
    await until(() => Number($('effort').dataset.depth) >= 8 && $('lines').children.length === 3);
    const effort = $('effort').textContent;
    const line = $('lines').textContent;
    $('analyse').click();
    await until(() => $('effort').textContent === 'Off');
    return { effort, line };`);
  assert.match(analysed.effort, /^Depth \d+/);
  const explained = await inPage(`
    const { api } = await import(new URL('assets/api.js', location.href).href);
    const game = { start: 'startpos', moves: ['e4', 'e5', 'Qh5'], chess960: false };
    return (await api.explain(game, 'Ke7', { nodes: 2000 })).text;`);
  assert.match(explained, /mate/);
  const reviewed = await inPage(`
    $('pgn').value = '1. f3 e5 2. g4 Qh4#';
    $('pgn-form').requestSubmit();
    await until(() => $('moves').textContent.includes('Qh4#'));
    $('review').click();
    await until(() => /accurate/.test($('summary').textContent));
    return $('summary').textContent;`);
  assert.match(reviewed, /White: \d+ % accurate.*1 blunder.*Black: \d+ % accurate.*0 blunders/s);
  const practised = await inPage(`
    $('tab-practise').click();
    await until(() => /kept exercise/.test($('deck-text').textContent));
    const kept = $('deck-text').textContent;
    $('deck-start').click();
    await until(() => !$('practice-solution').disabled);
    $('practice-solution').click();
    const solution = $('practice-text').textContent;
    $('practice-end').click();
    return { kept, solution };`);
  assert.match(practised.kept, /[12] kept exercises?, [12] due/);
  assert.match(practised.solution, /The solution: /);
  const explored = await inPage(`
    $('explorer').open = true;
    $('tab-analyse').click();
    await until(() => /^1 game counted/.test($('explorer-text').textContent));
    $('pgn').value = '1. e4 e5 1-0\\n\\n[White "Ann"]\\n\\n1. f3 d5 0-1';
    $('pgn-form').requestSubmit();
    await until(() => $('explorer-text').textContent === '3 games counted.');
    $('first').click();
    const rows = () => [...$('explorer-moves').tBodies[0].rows].map((row) => row.textContent.replace(/\\s+/g, ' '));
    await until(() => rows().length === 2);
    const shown = rows();
    $('explorer-moves').querySelector('tbody button').click();
    await until(() => /5P2.* b /.test($('fen').value));
    return shown;`);
  assert.match(explored[0], /^ ?f3 A00 Barnes Opening 2 /);
  assert.match(explored[1], /^ ?e4 B00 King's Pawn Game 1 /);
});
