// Every frozen vector through the same engine in Chromium, check by check against Node.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BrowserVector } from '../support/browser-vectors.ts';
import { cannedEvidence } from '../support/canned-evidence.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import { oddSignatures } from '../support/odd-signatures.ts';
import { listVectors, toRequest, type Vector } from '../support/vectors.ts';

const entry = fileURLToPath(new URL('../support/browser-vectors.ts', import.meta.url));
const bundle = await build({ entryPoints: [entry], bundle: true, format: 'iife', platform: 'browser', write: false });
const script = bundle.outputFiles[0]?.text ?? '';
const server = createServer((_, response) =>
  response.setHeader('content-type', 'text/html').end('<title>vectors</title>'),
);
const inChromium = test.skipIf(chromiumPath === undefined);
let browser: Browser;
let page: Page;

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  browser = await launchChromium();
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.addScriptTag({ content: script });
});
afterAll(async () => {
  await browser?.close();
  server.close();
});

const verdictOf = (report: VerificationReport) => ({
  outcome: report.outcome,
  checks: report.checks.map(check => `${check.id} ${check.status} ${check.code}`),
});

async function inBrowser(vector: Vector): Promise<VerificationReport> {
  const { archive, trustedKey, maxOriginalBytes, requireTrustedKey } = toRequest(vector);
  const given: BrowserVector = {
    archive: toText(archive),
    original: existsSync(vector.originalPath) ? toText(readFileSync(vector.originalPath)) : 'UNREADABLE',
    maxOriginalBytes,
    requireTrustedKey,
    ...(trustedKey === undefined ? {} : { trustedKey: toText(trustedKey) }),
    ...(vector.live === undefined ? {} : { live: vector.live }),
  };
  return await page.evaluate(
    vector => (globalThis as unknown as { verifyVector(v: unknown): Promise<VerificationReport> }).verifyVector(vector),
    given,
  );
}

const toText = (bytes: Uint8Array | 'UNREADABLE'): string =>
  bytes === 'UNREADABLE' ? bytes : Buffer.from(bytes).toString('base64');

function inNode(vector: Vector): Promise<VerificationReport> {
  const live = vector.live === undefined ? {} : { live: cannedEvidence(vector.live) };
  return verifyProof({ ...toRequest(vector), ...live }, nodePlatform);
}

inChromium(
  'Chromium and Node give the same verdict on every vector, check by check',
  { tags: 'long', timeout: 60_000 },
  async () => {
    const differing: string[] = [];
    for (const vector of listVectors()) {
      const [browserReport, nodeReport] = [await inBrowser(vector), await inNode(vector)];
      expect(browserReport.outcome, vector.name).toBe(vector.expected.outcome);
      if (JSON.stringify(verdictOf(browserReport)) !== JSON.stringify(verdictOf(nodeReport)))
        differing.push(vector.name);
    }
    expect(differing).toEqual([]);
  },
);

inChromium('Chromium and Node agree on every unusual key and signature', async () => {
  const odd = oddSignatures();
  const node = await Promise.all(
    odd.map(item => isSignedBy(item.key, item.message, item.signature, nodePlatform.verifyEd25519)),
  );
  const plain = odd.map(({ key, message, signature }) => [key, message, signature].map(bytes => [...bytes]));
  const chromium = await page.evaluate(
    items =>
      Promise.all(
        items.map(([key = [], message = [], signature = []]) =>
          (globalThis as unknown as { isSigned(k: number[], m: number[], s: number[]): Promise<boolean> }).isSigned(
            key,
            message,
            signature,
          ),
        ),
      ),
    plain,
  );
  expect(chromium).toEqual(node);
  expect(node).toEqual(odd.map(item => item.expected));
});
