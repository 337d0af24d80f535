// Writes test/vectors: run once, the result is frozen and committed. `node test/vectors/generate.ts` says what would
// change and changes nothing; with --write it writes. Keys and times are fixed, so it gives the same bytes every time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchoringCases } from './make/anchoring-cases.ts';
import { type Case, originals } from './make/case.ts';
import { dateCases } from './make/date-cases.ts';
import { evidenceCases } from './make/evidence-cases.ts';
import { jsonCases } from './make/json-cases.ts';
import { lifeCases } from './make/life-cases.ts';
import { limitCases } from './make/limit-cases.ts';
import { liveCases } from './make/live-cases.ts';
import { oddAnswerCases } from './make/odd-answer-cases.ts';
import { keyFiles, signatureCases } from './make/signature-cases.ts';
import { zipCases } from './make/zip-cases.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

async function filesOf(item: Case): Promise<[string, Uint8Array][]> {
  const { outcome, check, code } = item.expected;
  const ending = outcome === 'VALID' || outcome === 'INDETERMINATE' ? 'ok' : 'fail';
  const description = {
    why: item.why,
    original: item.original ?? 'plain.bin',
    trustedKey: item.trustedKey === '' ? undefined : item.trustedKey,
    padArchiveTo: item.padArchiveTo,
    unreadable: item.unreadable,
    maxFileBytes: item.maxFileBytes,
    requireTrustedKey: item.requireTrustedKey,
    live: item.live,
    expected: { outcome, check, code },
  };
  const at = `${item.name}_${ending}`;
  return [
    [`${at}/proof.zip`, await item.archive],
    [`${at}/case.json`, Buffer.from(`${JSON.stringify(description, null, 2)}\n`)],
  ];
}

export async function allFiles(): Promise<Map<string, Uint8Array>> {
  const cases = [
    ...zipCases,
    ...jsonCases,
    ...evidenceCases,
    ...anchoringCases,
    ...signatureCases,
    ...limitCases,
    ...liveCases,
    ...oddAnswerCases,
    ...dateCases,
    ...lifeCases,
  ];
  const files = await Promise.all(cases.map(filesOf));
  const common: [string, Uint8Array][] = [
    ...Object.entries(originals).map(([name, data]): [string, Uint8Array] => [`common/${name}`, data]),
    ...Object.entries(keyFiles).map(([name, text]): [string, Uint8Array] => [`common/${name}`, Buffer.from(text)]),
  ];
  const all = [...files.flat(), ...common];
  const byPath = new Map(all);
  if (byPath.size !== all.length) throw new Error('two vectors have the same name');
  return byPath;
}

async function main(isWriting: boolean): Promise<void> {
  const stale: string[] = [];
  for (const [path, data] of await allFiles()) {
    const target = folder + path;
    if (existsSync(target) && readFileSync(target).equals(data)) continue;
    stale.push(path);
    if (!isWriting) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, data);
  }
  for (const path of stale) console.log(`${isWriting ? 'wrote' : 'differs'} ${path}`);
  if (stale.length > 0 && !isWriting) process.exitCode = 1;
}

if (import.meta.main) await main(process.argv.includes('--write'));
