// Workers of the page, at the URLs that the server writes into the head of the page.
type ScriptUrls = { createScriptURL(name: string): string };
type PolicyFactory = { createPolicy(name: string, rules: ScriptUrls): ScriptUrls };

const rules: ScriptUrls = {
  createScriptURL: name => document.querySelector(`meta[name=${name}]`)?.getAttribute('content') ?? '',
};
let policy: ScriptUrls | undefined;

/** With trusted types, browsers start a worker only at a URL that this function has created. */
export function openWorker(name: 'verify-worker' | 'hash-worker' | 'pdf-worker'): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy('recordproof', rules) ?? rules;
  return new Worker(policy.createScriptURL(name), { type: 'module' });
}
