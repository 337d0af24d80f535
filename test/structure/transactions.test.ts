// Scans of server sources for the root database within a transaction, and for SQL `in` with a list that can be empty.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findRootUseInTransactions } from '../support/transaction-scan.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('no server source uses the root database within a transaction', { tags: 'long' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-scan-'));
  const tsconfig = join(folder, 'tsconfig.json');
  // The server alone: the compiler reads less than half of the repository.
  const project = { include: [join(root, 'server/src/**/*.ts')], exclude: ['**/*.test.ts'] };
  writeFileSync(tsconfig, JSON.stringify({ extends: join(root, 'tsconfig.json'), ...project }));
  try {
    const isOurs = (path: string) => path.startsWith(join(root, 'server/src')) && !path.endsWith('.test.ts');
    expect(findRootUseInTransactions(tsconfig, isOurs)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no handwritten SQL uses "in" with a list, which can be empty', () => {
  const sources = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' });
  const own = sources.filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const asking = own.filter(name =>
    /\bin\s*\(?\s*\$\{\s*sql\b/i.test(readFileSync(join(root, 'server/src', name), 'utf8')),
  );
  expect(own.length).toBeGreaterThan(200);
  expect(asking).toEqual([]);
});

const wrong = {
  'by-name.ts': 'await db.transaction().execute(async tx => { await read(tx); await read(db); });',
  'by-another-name.ts':
    'const other = db; await db.transaction().execute(async tx => { void tx; await read(other); });',
  'by-property.ts': 'await context.db.transaction().execute(async tx => { void tx; await read(context.db); });',
  'in-a-context.ts': 'await db.transaction().execute(async tx => { void tx; await readAll(context); });',
  'with-settings.ts':
    "await db.transaction().setIsolationLevel('serializable').execute(async tx => { void tx; await read(db); });",
  'elsewhere.ts': 'const work = async () => {}; await db.transaction().execute(work);',
};

const right = {
  'only-tx.ts': 'await db.transaction().execute(async tx => { await read(tx); await readAll({ db: tx }); });',
  'a-type.ts': 'await db.transaction().execute(async tx => { const none: Db[] = []; await read(tx); void none; });',
  'outside.ts': 'await read(db); await db.transaction().execute(tx => read(tx)); await read(db);',
};

test('the scan finds the root database under any name, and accepts correct code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-scan-'));
  try {
    const tables = JSON.stringify(join(root, 'server/src/platform/db/tables.ts'));
    const before = [
      `import type { Db } from ${tables};`,
      'declare const db: Db;',
      'declare const context: { db: Db };',
      'declare function read(db: Db): Promise<void>;',
      'declare function readAll(context: { db: Db }): Promise<void>;',
      'void [db, context, read, readAll];',
    ].join('\n');
    for (const [name, text] of Object.entries({ ...wrong, ...right })) {
      writeFileSync(join(folder, name), `${before}\n${text}\nexport {};\n`);
    }
    const tsconfig = join(folder, 'tsconfig.json');
    writeFileSync(tsconfig, JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] }));
    const findings = findRootUseInTransactions(tsconfig, path => path.startsWith(folder));
    const found = findings.map(finding => basename(finding.file));
    expect([...new Set(found)].sort()).toEqual(Object.keys(wrong).sort());
    expect(findings.find(finding => finding.file.endsWith('by-name.ts'))).toMatchObject({ line: 7, text: 'db' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
