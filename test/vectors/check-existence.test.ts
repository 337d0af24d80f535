// Both readers, ours and the one in Python, say of every frozen case of test/vectors/existence.json what is expected, and
// agree on mutants: outcome, time, and the code of each link and of each voucher.
import { spawn } from 'node:child_process';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { toBase64 } from '@recordproof/shared/evidence/digest.ts';
import { expect, test } from 'vitest';

import {
  type CaseFileName,
  type CaseFiles,
  type ExistenceVerdict,
  judgeCase,
  readExistenceCases,
  toGiven,
} from '../support/existence-cases.ts';

const script = fileURLToPath(new URL('check_existence.py', import.meta.url));
const all = readExistenceCases();
const mutants = Number(process.env.MUTANTS ?? 100);

type Asked = { readonly given: CaseFiles; readonly require?: string | undefined };

async function askPython(asked: readonly Asked[]): Promise<ExistenceVerdict[]> {
  const python = spawn('python3', ['-B', script, '--each'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = readAll(python.stdout);
  const lines = asked.map(({ given, require }) => {
    const files = Object.entries(given).map(([name, bytes]) => [name, toBase64(bytes as Uint8Array)]);
    return `${JSON.stringify({ ...Object.fromEntries(files), ...(require === undefined ? {} : { require }) })}\n`;
  });
  python.stdin.on('error', () => {}).end(lines.join(''));
  return (await answers)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

test('TypeScript and Python return the expected result for every case', { timeout: 300_000 }, async () => {
  const asked = all.cases.map(one => ({ given: toGiven(all, one), require: one.require }));
  const theirs = await askPython(asked);
  for (const [at, { name, require, expected }] of all.cases.entries()) {
    const { given } = asked[at] ?? { given: { original: new Uint8Array(0) } };
    expect([name, await judgeCase(given, require)]).toEqual([name, expected]);
    expect([name, theirs[at]]).toEqual([name, expected]);
  }
  expect(all.cases.length).toBeGreaterThanOrEqual(100);
  expect(new Set(all.cases.flatMap(({ expected }) => expected.reason ?? expected.outcome)).size).toBeGreaterThan(20);
});

/** The same number always gives the same byte. */
function mutantOf(number: number): Asked {
  let state = number * 2654435761 + 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const sound = all.cases.filter(({ expected }) => ['EXISTED', 'NOT_SHOWN'].includes(expected.outcome));
  const chosen = sound[next(sound.length)];
  if (chosen === undefined) throw new Error('no case');
  const given = toGiven(all, chosen);
  const kinds = (['tlogProof', 'ots', 'evidence', 'archive', 'original'] as const).filter(kind => given[kind]);
  const kind: CaseFileName = kinds[next(kinds.length)] ?? 'original';
  const bytes = [...(given[kind] ?? [])];
  for (let left = 1 + next(2); left > 0; left--)
    bytes.splice(next(bytes.length), next(3) === 0 ? 0 : 1, ...(next(4) === 0 ? [] : [next(256)]));
  return { given: { ...given, [kind]: Uint8Array.from(bytes) }, require: chosen.require };
}

test(`TypeScript and Python return the same results for ${mutants} mutants`, {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  const asked = Array.from({ length: mutants }, (_, number) => mutantOf(number));
  const theirs = await askPython(asked);
  const outcomes = new Set<string>();
  for (const [at, { given, require }] of asked.entries()) {
    const ours = await judgeCase(given, require);
    outcomes.add(ours.outcome);
    expect([at, theirs[at]]).toEqual([at, ours]);
  }
  expect([...outcomes].sort()).toEqual(['CONTRADICTED', 'ERROR', 'EXISTED', 'NOT_SHOWN']);
});
