// The page on certificates of key retirement read by somebody else: a Python program that shares no code with us gives the same
// outcome and the same code for every check, on every vector and on mutants of them.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { checkRetirement } from '@recordproof/verifier/retirement/check-retirement.ts';
import { expect } from 'vitest';
import { testWith } from '../support/programs.ts';
import { digestOf } from '../support/uploads.ts';
import type { RetirementCase } from './make/retirement-cases.ts';

const test = testWith('python3');

const script = fileURLToPath(new URL('check_retirement.py', import.meta.url));
const cases: RetirementCase[] = JSON.parse(readFileSync(new URL('key-retirement.json', import.meta.url), 'utf8'));
const mutants = Number(process.env.MUTANTS ?? 500);

type Given = { readonly document: Buffer; readonly items?: Buffer; readonly trustedKey?: Buffer };
type Verdict = { readonly outcome: string; readonly codes: Readonly<Record<string, string>> };

const toGiven = ({ document, items, trustedKey }: RetirementCase): Given => ({
  document: Buffer.from(document),
  ...(items !== undefined && { items: Buffer.from(items) }),
  ...(trustedKey !== undefined && { trustedKey: Buffer.from(trustedKey) }),
});

async function askPython(given: readonly Given[]): Promise<Verdict[]> {
  const python = spawn('python3', ['-B', script, '--each'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = text(python.stdout);
  const toLine = (one: Given) =>
    JSON.stringify(Object.fromEntries(Object.entries(one).map(([name, bytes]) => [name, bytes.toString('base64')])));
  python.stdin.on('error', () => {}).end(given.map(one => `${toLine(one)}\n`).join(''));
  return (await answers)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

async function askEngine({ document, items, trustedKey }: Given): Promise<Verdict> {
  const inOne = async function* () {
    if (items) yield items;
  };
  const report = await checkRetirement(
    { document, ...(trustedKey && { trustedKey }), ...(items && { items: inOne() }) },
    nodePlatform,
  );
  return { outcome: report.outcome, codes: Object.fromEntries(report.checks.map(({ id, code }) => [id, code])) };
}

test('the Python check returns the outcome and the code of every check for every certificate', async () => {
  const given = cases.map(toGiven);
  const read = await askPython(given);
  expect(read).toHaveLength(cases.length);
  for (const [at, { name, outcome, check, code }] of cases.entries()) {
    expect([name, read[at]?.outcome]).toEqual([name, outcome]);
    if (check !== undefined) expect([name, read[at]?.codes[check]]).toEqual([name, code]);
    expect({ name, ...read[at] }).toEqual({ name, ...(await askEngine(given[at] as Given)) });
  }
});

/** Numbers from 0 to below `bound`, the same for the same run. */
function openDice(run: number): (bound: number) => number {
  let state = run + 1;
  return bound => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const spellings = [
  '"',
  '{',
  '}',
  '[',
  ',',
  ':',
  '0',
  '-1',
  '1e2',
  '1.0',
  'null',
  ' ',
  '\n',
  '\\u0061',
  '\\ud800',
  'ÿ',
  '.',
];

function mutateBytes(bytes: Buffer, dice: (bound: number) => number): Buffer {
  const at = dice(bytes.length + 1);
  const piece = Buffer.from(spellings[dice(spellings.length)] as string, 'latin1');
  const isReplaced = dice(3);
  return Buffer.concat([
    bytes.subarray(0, at),
    isReplaced === 2 ? Buffer.alloc(0) : piece,
    bytes.subarray(at + isReplaced),
  ]);
}

const values = [null, true, 0, -1, 1, 2, 2 ** 53, 1.5, '', '1', '0', 'a b', '..', '2026-02-30T00:00:00.000Z', [], {}];

type Members = Record<string, unknown>;

/** Every object and list in it, each with its members. */
const objectsOf = (value: unknown): Members[] =>
  typeof value === 'object' && value !== null ? [value as Members, ...Object.values(value).flatMap(objectsOf)] : [];

/** Stays canonical, so that shapes and figures are reached. */
function mutateValue(bytes: Buffer, dice: (bound: number) => number): Buffer {
  const value = JSON.parse(bytes.toString()) as Members;
  const objects = objectsOf(value).filter(object => Object.keys(object).length > 0);
  const object = objects[dice(objects.length)] as Members;
  const names = Object.keys(object);
  const name = names[dice(names.length)] as string;
  if (!Array.isArray(object) && dice(6) === 0) delete object[name];
  else object[name] = dice(3) === 0 ? object[names[dice(names.length)] as string] : values[dice(values.length)];
  return Buffer.from(`${canonicalJson(value as never)}\n`);
}

/** With their digest in the certificate, so that the items themselves are read. */
function withItems(given: Given, items: Buffer, isNamed: boolean): Given {
  if (!isNamed) return { ...given, items };
  const value = JSON.parse(given.document.toString());
  if (value.certificate) value.certificate.items = { bytes: items.length, digest: digestOf(items) };
  return { ...given, items, document: Buffer.from(`${canonicalJson(value)}\n`) };
}

function mutate(run: number): Given {
  const dice = openDice(run);
  const given = toGiven(cases[dice(2) === 0 ? 0 : dice(cases.length)] as RetirementCase);
  const isJson = given.document.toString().startsWith('{"certificate":{"audit":{"hash"');
  const which = dice(6);
  if (which === 0 && given.items) return withItems(given, mutateBytes(given.items, dice), isJson && dice(4) > 0);
  if (which === 1 && given.trustedKey) return { ...given, trustedKey: mutateBytes(given.trustedKey, dice) };
  if (which < 4 || !isJson) return { ...given, document: mutateBytes(given.document, dice) };
  try {
    return { ...given, document: mutateValue(given.document, dice) };
  } catch {
    return given; // that case is no JSON
  }
}

test(`the Python check returns the same for ${mutants} mutants`, { tags: 'long', timeout: 300_000 }, async () => {
  const made = Array.from({ length: mutants }, (_, run) => mutate(run));
  const read = await askPython(made);
  const seen = new Set<string>();
  for (const [run, given] of made.entries()) {
    const own = await askEngine(given);
    expect({ run, ...read[run] }).toEqual({ run, ...own });
    for (const code of Object.values(own.codes)) seen.add(code);
  }
  for (const code of [
    'OK',
    'JSON_SYNTAX',
    'JSON_SHAPE',
    'FIGURES_CONTRADICT',
    'JWS_PAYLOAD_MISMATCH',
    'ITEMS_DIGEST_MISMATCH',
    'ITEM_MALFORMED',
    'ITEMS_FIGURES_MISMATCH',
  ])
    expect(seen).toContain(code);
});
