// Scan for file handles that stay open on some path, and the test of the scan.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findLooseHandles } from '../support/handle-scan.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('every file that a source opens is closed on every path', () => {
  const sources = globSync('{server,shared,cli,verifier}/src/**/*.ts', { cwd: root });
  const own = sources.filter(path => !path.endsWith('.test.ts')).map(path => join(root, path));
  expect(findLooseHandles(own)).toEqual([]);
});

const wrong = {
  'nothing-closes.ts': "const file = await open('a'); await file.stat();",
  'something-between.ts': "const file = await open('a'); await file.stat(); try { } finally { await file.close(); }",
  'closed-only-at-the-end.ts': "const fd = openSync('a', 'r'); fsyncSync(fd); closeSync(fd);",
  'another-is-closed.ts': "const one = await open('a'); const two = one; try { } finally { await two.close(); }",
};

const right = {
  'using.ts': "await using file = await open('a'); await file.stat();",
  'using-with-a-word.ts': "await using file = await open('a').catch(error => { throw error; }); await file.stat();",
  'a-stack.ts':
    "await using held = new AsyncDisposableStack(); const file = held.use(await open('a')); await file.stat();",
  'closed-in-the-end.ts': "const file = await open('a'); try { await file.stat(); } finally { await file.close(); }",
  'closed-at-once.ts': "const file = await open('a'); await file.close();",
  'perhaps-none.ts':
    "const work = async () => { const file = await open('a').catch(() => undefined); if (file === undefined) return; try { } finally { await file.close(); } }; await work();",
  'handed-on.ts': "const work = () => { return open('a'); }; await using file = await work(); await file.stat();",
  'sync.ts': "const fd = openSync('a', 'r'); try { fsyncSync(fd); } finally { closeSync(fd); }",
};

test('the scan reports files that may stay open, and accepts correct code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-scan-'));
  try {
    const before = [
      "import { closeSync, fsyncSync, openSync } from 'node:fs';",
      "import { open } from 'node:fs/promises';",
      'void [closeSync, fsyncSync, openSync, open];',
    ].join('\n');
    for (const [name, text] of Object.entries({ ...wrong, ...right }))
      writeFileSync(join(folder, name), `${before}\n${text}\nexport {};\n`);
    const paths = Object.keys({ ...wrong, ...right }).map(name => join(folder, name));
    const found = findLooseHandles(paths).map(({ file }) => basename(file));
    expect([...new Set(found)].sort()).toEqual(Object.keys(wrong).sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
