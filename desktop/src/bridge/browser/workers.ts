// Workers of the page, at the URLs that the server writes into the head of the page.
import { openPdfReader, type PdfReader } from '@recordproof/shared/browser/pdf-reader.ts';

type ScriptUrls = { createScriptURL(name: string): string };
type PolicyFactory = { createPolicy(name: string, rules: ScriptUrls): ScriptUrls };

const rules: ScriptUrls = {
  createScriptURL: name => document.querySelector(`meta[name=${name}]`)?.getAttribute('content') ?? '',
};
let policy: ScriptUrls | undefined;

type WorkerName = 'verify-worker' | 'hash-worker' | 'pdf-worker' | 'thumbnail-worker';

/** With trusted types, browsers start a worker only at a URL that this function has created. */
export function toScriptUrl(name: WorkerName | 'service-worker'): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy('recordproof', rules) ?? rules;
  return policy.createScriptURL(name);
}

export const openWorker = (name: WorkerName): Worker => new Worker(toScriptUrl(name), { type: 'module' });

export const openPdf = (bytes: Uint8Array<ArrayBuffer>): PdfReader => openPdfReader(openWorker('pdf-worker'), bytes);
