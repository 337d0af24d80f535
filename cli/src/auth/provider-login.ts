// Login through a provider of single sign-on: in the browser of this machine, or in any browser with a device code.
import { me } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import * as programApi from '@recordproof/shared/api/program-sign-in.ts';
import * as api from '@recordproof/shared/api/single-sign-on.ts';
import { signInByLoopback } from '@recordproof/shared/node/loopback-sign-in.ts';
import { inBrowser, toCommandError } from '../platform/browser-sign-in.ts';
import { type CommandContext, userAgent } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { tint, writeMessage } from '../platform/output.ts';
import { openServerClient } from '../platform/server-client.ts';
import { interruptibleClock } from '../platform/waits.ts';

type Issued = { readonly token: string; readonly expiresIn: number };

async function getProvider(client: Client, id: string): Promise<string> {
  const { providers } = await client.call(api.listSignInProviders);
  if (providers.some(provider => provider.id === id)) return id;
  const ids = providers.map(provider => provider.id);
  throw new CommandError('usage', `this server has no provider "${id}"`, {
    try: ids.length === 0 ? 'recordproof login, with a password' : `--sso ${ids.join(', or --sso ')}`,
  });
}

const byLoopback = (client: Client, provider: string): Promise<Issued> =>
  inBrowser(waiting => signInByLoopback(client, { provider, ...waiting }));

async function byDevice(client: Client, provider: string): Promise<Issued> {
  const started = await client.call(programApi.startDeviceSignIn, { params: { provider } });
  const { deviceCode, userCode, url, interval, expiresIn } = started;
  writeMessage(`Open ${url} in any browser and enter the code ${tint('bold', userCode)}`);
  writeMessage(
    `It is valid for ${Math.floor(expiresIn / 60)} minutes. Enter it only if you started this sign-in yourself.`,
  );
  for (;;) {
    const answer = await client.call(programApi.pollDeviceSignIn, { body: { deviceCode } });
    if (answer.state === 'signed-in') return answer;
    if (answer.state === 'rejected') throw toCommandError(answer.problem);
    await interruptibleClock.sleep(interval * 1000);
  }
}

export async function logInThrough(
  context: CommandContext,
  id: string,
  { device }: { readonly device: boolean },
): Promise<Issued & { readonly username: string }> {
  const client = await context.anonymous();
  const provider = await getProvider(client, id);
  const issued = await (device ? byDevice : byLoopback)(client, provider);
  const { server, timeout } = await context.settings();
  const signedIn = openServerClient({
    ...{ baseUrl: server.value, network: await context.network(), timeoutMs: timeout.value * 1000, userAgent },
    ...{ onWait: context.waits.tell, token: () => issued.token },
  });
  return { ...issued, username: (await signedIn.call(me)).username };
}
