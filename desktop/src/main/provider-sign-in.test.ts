// Sign-in of the desktop app through a provider, in the system's browser, with a loopback port.
import { beginTotp } from '@recordproof/shared/api/one-time-codes.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../test/support/app.ts';
import { CookieBrowser } from '../../../test/support/cookie-browser.ts';
import {
  type IdentityProvider,
  openIdentityProvider,
  toProviderSettings,
} from '../../../test/support/identity-provider.ts';
import { openTestProgram } from '../testing.ts';

let app: TestApp;
let company: IdentityProvider;

beforeAll(async () => {
  company = await openIdentityProvider();
  company.person = { sub: 'ada', preferred_username: 'ada', email: 'ada@company.example', email_verified: true };
  const more = { 'create-accounts': true, everyone: true };
  app = await startApp({ env: toProviderSettings({ company: { provider: company, more } }) });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await company?.[Symbol.asyncDispose]();
});

/** Follows redirects as the system's browser does: to the provider and back to the port of the program. */
async function followInBrowser(url: string): Promise<void> {
  const browser = new CookieBrowser(app.app.url);
  const { origin } = new URL(app.app.url);
  const isProgram = (one: URL): boolean => one.origin !== origin && one.origin !== company.issuer;
  const landed = await browser.follow(url, isProgram);
  for (const state of ['another', landed.searchParams.get('state') ?? '']) {
    const answering = new URL(landed);
    answering.searchParams.set('state', state);
    expect((await fetch(answering)).status).toBe(state === 'another' ? 404 : 200);
  }
}

const input = { provider: 'company', stay: true, returnTo: '' };

test('a sign-in through a provider starts a session, and a second one gives a fresh factor', async () => {
  await using desktop = await openTestProgram({ openInBrowser: followInBrowser });
  await desktop.bridge.shell?.addServer(app.app.url);
  await desktop.bridge.session.signInThrough(input);
  expect(desktop.bridge.session.state.get()).toMatchObject({ kind: 'signed-in', account: { username: 'ada' } });
  app.clock.advance(11 * 60_000);
  await expect(desktop.bridge.call(beginTotp)).rejects.toMatchObject({ kind: 'STEP_UP_REQUIRED' });
  await expect(desktop.bridge.session.stepUpThroughProvider()).rejects.toMatchObject({
    detail: { problem: 'not-fresh' },
  });
  company.person = { ...company.person, auth_time: Math.floor(app.clock.now() / 1000) };
  await desktop.bridge.session.stepUpThroughProvider();
  await desktop.bridge.call(beginTotp);
  await desktop.bridge.session.signOut({ everywhere: false });
  expect(desktop.bridge.session.state.get().kind).toBe('signed-out');
});

test('a rejected sign-in returns its reason, and nobody is signed in', async () => {
  company.person = { ...company.person, sub: 'eve', email_verified: false };
  await using desktop = await openTestProgram({ openInBrowser: followInBrowser });
  await desktop.bridge.shell?.addServer(app.app.url);
  await expect(desktop.bridge.session.signInThrough(input)).rejects.toMatchObject({
    kind: 'FORBIDDEN',
    detail: { problem: 'email-unverified' },
  });
  expect(desktop.bridge.session.state.get().kind).toBe('signed-out');
});
