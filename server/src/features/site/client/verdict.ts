// The verdict on a shared file: fetches its proof, and compares both with the verifier engine in a worker.
import type { ShareWords } from '@recordproof/shared/words/share.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { StatementTexts } from '@recordproof/verifier/report/statements.ts';
import type { ForWorker, FromStatementWorker } from '@recordproof/verifier/web/client/messages.ts';
import { openOriginPort, readBounded } from '@recordproof/verifier/web/client/origin-port.ts';
import { toStatements } from '@recordproof/verifier/web/client/statements-view.ts';

/** URLs of a file's proof: with cosignatures first, if the server offers that. Empty for a file without proof. */
export type ProofAddresses = readonly string[];

const largestProof = 64 * 1024 * 1024;

/** An error whose message is shown to the user. */
class NotChecked extends Error {}

type Checking = { readonly texts: ShareWords; readonly language: Language; readonly file: File };

/** Shows the result in the file's element; returns the summary sentence. */
export async function showVerdict(box: HTMLElement, addresses: ProofAddresses, checking: Checking): Promise<string> {
  const { texts } = checking;
  box.textContent = texts.checkingProof;
  try {
    const verdict = await check(addresses, checking);
    box.replaceChildren(toStatements(verdict));
    return verdict.headline;
  } catch (problem) {
    const why = problem instanceof NotChecked ? problem.message : texts.cannotCheck.broken;
    box.textContent = why;
    return why;
  }
}

async function check(addresses: ProofAddresses, { texts, language, file }: Checking): Promise<StatementTexts> {
  if (addresses.length === 0) throw new NotChecked(texts.unproven);
  const proof = await fetchProof(addresses, texts);
  const worker = new Worker('/assets/verify-worker.js');
  const { promise, resolve, reject } = Promise.withResolvers<StatementTexts>();
  worker.onmessage = ({ data }: MessageEvent<FromStatementWorker>) => {
    if (data.kind === 'statements') resolve(data.statements);
    else if (data.kind === 'unable') reject(new NotChecked(texts.cannotCheck[data.why]));
  };
  worker.onerror = () => reject(new NotChecked(texts.cannotCheck.broken));
  const origin = openOriginPort();
  worker.postMessage({ original: file, proof, language, origin } satisfies ForWorker, [origin]);
  return promise.finally(() => worker.terminate());
}

async function fetchProof(addresses: ProofAddresses, texts: ShareWords): Promise<File> {
  for (const address of addresses) {
    const response = await fetch(address).catch(() => null);
    if (!response?.ok || response.redirected || response.body === null) continue;
    const bytes = await readBounded(response.body, largestProof);
    if (bytes !== undefined) return new File([bytes], 'proof.zip');
  }
  throw new NotChecked(texts.noProofSent);
}
