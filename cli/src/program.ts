// What a command has in its hands besides its own flags. Everything is opened when it is first asked for, so that a
// command that needs no server and no file touches none.
import type { Client } from '@recordproof/shared/api/client.ts';
import { readConfig } from './config-file.ts';
import type { SessionKey } from './credentials-file.ts';
import { configFolder, type Paths, toPaths } from './folders.ts';
import { openPrompter, type Prompter } from './prompter.ts';
import { openServerClient } from './server-client.ts';
import type { Session } from './session.ts';
import { type GlobalValues, resolveSettings, type Settings, variables } from './settings.ts';
import { version } from './version.ts';

export type Program = {
  readonly paths: Paths;
  readonly prompter: Prompter;
  /** RECORDPROOF_TOKEN, which wins over any saved session. */
  readonly environmentToken: string | undefined;
  settings(): Promise<Settings>;
  sessionKey(): Promise<SessionKey>;
  /** For endpoints that anybody may call. */
  anonymous(): Promise<Client>;
  /** For all others; swaps a token that is close to its end. */
  session(): Promise<Session>;
  /** The same at a server that somebody else named: the token of the environment is not for it. */
  at(server: string): Program;
};

export const userAgent = `recordproof/${version}`;

export function openProgram(flags: GlobalValues): Program & Disposable {
  const prompter = openPrompter();
  const program = toProgram(flags, prompter, process.env[variables.token] || undefined);
  return { ...program, [Symbol.dispose]: () => prompter[Symbol.dispose]() };
}

function toProgram(flags: GlobalValues, prompter: Prompter, environmentToken: string | undefined): Program {
  const paths = toPaths(configFolder());
  let resolved: Promise<Settings> | undefined;
  const settings = () => {
    resolved ??= readConfig(paths).then(config => resolveSettings(flags, process.env, config));
    return resolved;
  };

  return {
    paths,
    prompter,
    environmentToken,
    settings,
    async sessionKey() {
      const { profile, server } = await settings();
      return { profile: profile.value, server: server.value };
    },
    async anonymous() {
      const { server, timeout } = await settings();
      return openServerClient({ baseUrl: server.value, timeoutMs: timeout.value * 1000, userAgent });
    },
    async session() {
      const { openSession } = await import('./session.ts');
      const timeoutMs = (await settings()).timeout.value * 1000;
      return openSession({ paths, key: await this.sessionKey(), timeoutMs, userAgent, environmentToken });
    },
    at: server => toProgram({ ...flags, server }, prompter, undefined),
  };
}
