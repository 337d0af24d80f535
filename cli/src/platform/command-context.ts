// The context of a command: settings, sessions, prompts, waits. Each is opened on first use, so that a command that needs no
// server and no file touches none.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import type { AllCommands } from './command-class.ts';
import { readConfig } from './config-file.ts';
import type { SessionKey } from './credentials-file.ts';
import { configFolder, type Paths, toPaths } from './folders.ts';
import { writeData } from './output.ts';
import { openPrompter, type Prompter } from './prompter.ts';
import { openServerClient } from './server-client.ts';
import type { Session } from './session.ts';
import { type GlobalValues, resolveSettings, type Settings, variables } from './settings.ts';
import { type Fitting, roomOf } from './table.ts';
import { version } from './version.ts';
import { openWaits, type Waits } from './waits.ts';

export type CommandContext = {
  readonly paths: Paths;
  readonly prompter: Prompter;
  /** For progress messages; with --json everything is printed at the end. */
  print(lines: Fitting): void;
  /** Waits that the server has asked for. */
  readonly waits: Waits;
  /** RECORDPROOF_TOKEN, which takes precedence over any saved session. */
  readonly environmentToken: string | undefined;
  /** All commands, and aliases of their first words. */
  allCommands(): Promise<AllCommands>;
  settings(): Promise<Settings>;
  sessionKey(): Promise<SessionKey>;
  /** Connections to servers: with the proxies of the environment and the authority of the profile. */
  network(): Promise<Network>;
  /** For endpoints that need no session. */
  anonymous(): Promise<Client>;
  /** For all others; replaces a token that expires soon. */
  session(): Promise<Session>;
  /** The same for a server named in a link: the token of the environment is not sent to it. */
  at(server: string): CommandContext;
};

export const userAgent = `recordproof/${version}`;

type Opened = Pick<CommandContext, 'prompter' | 'waits' | 'environmentToken' | 'allCommands'> & {
  readonly networks: DisposableStack;
};

export function openContext(
  flags: GlobalValues,
  allCommands: CommandContext['allCommands'],
): CommandContext & Disposable {
  const prompter = openPrompter();
  const networks = new DisposableStack();
  const context = toContext(flags, {
    prompter,
    networks,
    waits: openWaits(),
    allCommands,
    environmentToken: process.env[variables.token] || undefined,
  });
  return {
    ...context,
    [Symbol.dispose]() {
      networks[Symbol.dispose]();
      prompter[Symbol.dispose]();
    },
  };
}

function toContext(flags: GlobalValues, { networks, ...opened }: Opened): CommandContext {
  const { environmentToken } = opened;
  const onWait = opened.waits.tell;
  const paths = toPaths(configFolder());
  let resolved: Promise<Settings> | undefined;
  const settings = () => {
    resolved ??= readConfig(paths).then(config => resolveSettings(flags, process.env, config));
    return resolved;
  };
  let opening: Promise<Network> | undefined;
  const network = () => {
    opening ??= settings().then(async ({ ca, timeout }) => {
      const { openCliNetwork } = await import('./network.ts');
      return networks.use(await openCliNetwork({ ca: ca.value, timeoutSeconds: timeout.value, userAgent }));
    });
    return opening;
  };

  return {
    paths,
    ...opened,
    print: lines => {
      if (!flags.json) writeData(lines(roomOf(flags.wide === true)));
    },
    settings,
    async sessionKey() {
      const { profile, server } = await settings();
      return { profile: profile.value, server: server.value };
    },
    network,
    async anonymous() {
      const { server, timeout } = await settings();
      const sending = { network: await network(), timeoutMs: timeout.value * 1000, userAgent, onWait };
      return openServerClient({ baseUrl: server.value, ...sending });
    },
    async session() {
      const { openSession } = await import('./session.ts');
      const timeoutMs = (await settings()).timeout.value * 1000;
      return openSession({
        paths,
        key: await this.sessionKey(),
        network: await network(),
        timeoutMs,
        userAgent,
        environmentToken,
        onWait,
        giveFactor: async (client, factors) =>
          (await import('./give-factor.ts')).giveFactor(client, this.prompter, factors),
      });
    },
    at: server => toContext({ ...flags, server }, { ...opened, networks, environmentToken: undefined }),
  };
}
