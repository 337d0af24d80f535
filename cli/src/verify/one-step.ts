// One-step verify: completes the options of a verification from the name of a file alone, at the server of the profile.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Client } from '@recordproof/shared/api/client.ts';
import { searchFiles } from '@recordproof/shared/api/files.ts';
import type { IssuerKey } from '@recordproof/shared/api/proofs.ts';
import { toProofArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { readProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import {
  toVerificationOptions,
  type VerificationInput,
  type VerificationOptions,
} from '@recordproof/verifier/options.ts';
import { proofBeside } from '@recordproof/verifier/proof-paths.ts';
import { hashFile } from '../files/hash-file.ts';
import { findPinnedKeys } from '../keys/pinned-keys.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, writeMessage } from '../platform/output.ts';
import { fetchAlone, fetchProof } from '../proofs/fetch-proof.ts';
import { writeEvidence } from '../proofs/write-evidence.ts';

/** Completes the options that were not given. `isOffline`: no server is asked. */
export async function completeVerification(
  context: CommandContext,
  input: VerificationInput & { file: string },
  isOffline: boolean,
): Promise<VerificationOptions> {
  const at = await context.sessionKey();
  const proof = input.proof ?? (await findArchive(context, input.file, isOffline));
  const isAsking = !isOffline && input.online !== true;
  const options = toVerificationOptions({ ...input, proof, ...(isAsking ? { server: at.server } : {}) });
  if (input.trustedKey !== undefined) return options;
  const key = choose(await findPinnedKeys(context.paths, at), await readSigner(proof));
  return key === undefined ? options : { ...options, trustedKeyBytes: Buffer.from(JSON.stringify(key)) };
}

async function findArchive(context: CommandContext, file: string, isOffline: boolean): Promise<string> {
  const path = proofBeside(file);
  if (existsSync(path)) return path;
  if (!existsSync(file)) throw new CommandError('usage', `there is no file ${printable(file)}`);
  if (isOffline)
    throw new CommandError('usage', `there is no ${printable(path)} beside the file`, {
      try: 'name its archive with --proof',
    });
  const client = await context.session();
  const { evidence } = await fetchProof(fetchAlone(client), await findByContent(client, file), {
    timeLeft: { leftMs: 0 },
  });
  await writeEvidence(evidence, { path, form: 'proof', force: false });
  writeMessage(`fetched ${printable(path)} from ${(await context.sessionKey()).server}`);
  return path;
}

async function findByContent(client: Client, file: string): Promise<string> {
  const query = { keyword: await hashFile(file), keywordMode: 'EXACT_HASH', page: 1, size: 100 } as const;
  const { records } = await client.call(searchFiles, { query });
  const found = records.find(({ proofStatus }) => proofStatus === 'ISSUED') ?? records[0];
  if (found === undefined)
    throw new CommandError('refused', `you have stored no file with exactly the content of ${printable(file)}`, {
      try: 'name its archive with --proof, or: recordproof prove <file>',
    });
  return found.id;
}

/** The signer that the archive names; untrusted, it only selects the key. */
async function readSigner(proof: string): Promise<{ keyId: string; keyVersion: number } | undefined> {
  try {
    const entries = readProofArchive(toProofArchive(await readFile(proof)));
    return readProofManifest(parseStrictJson(entries['manifest.json']), '').signature;
  } catch {
    return undefined;
  }
}

/** The pinned key of that name and version, else the newest: then the report says that it is another one. */
const choose = (
  pinned: readonly IssuerKey[],
  signer: { keyId: string; keyVersion: number } | undefined,
): IssuerKey | undefined =>
  pinned.find(key => key.keyId === signer?.keyId && key.keyVersion === signer.keyVersion) ?? pinned[0];
