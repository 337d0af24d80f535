// A real SMTP server inside the test process: keeps the accepted mails, and misbehaves when told to.

import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export type SmtpBehaviour = 'accept' | 'defer-recipient' | 'refuse-recipient' | 'defer-data' | 'refuse-data' | 'hang';

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly raw: string;
  readonly email: Email;
};

export type RunningSmtpServer = AsyncDisposable & {
  readonly host: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  behaviour: SmtpBehaviour;
  /** The number of connections opened so far. */
  readonly connections: () => number;
};

export type SmtpServerOptions = {
  /** Without it nobody may log in. */
  readonly login?: { readonly user: string; readonly pass: string };
  /** Default: any free one. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string; readonly implicit: boolean };
};

const answers: Partial<Record<SmtpBehaviour, { code: number; text: string }>> = {
  'defer-recipient': { code: 451, text: 'greylisted, try again later' },
  'refuse-recipient': { code: 550, text: 'no such user here' },
  'defer-data': { code: 452, text: 'disk full' },
  'refuse-data': { code: 554, text: 'content refused' },
};

const failureOf = (behaviour: SmtpBehaviour, stage: 'recipient' | 'data'): Error | null => {
  const answer = behaviour.endsWith(stage) ? answers[behaviour] : undefined;
  return answer === undefined ? null : Object.assign(new Error(answer.text), { responseCode: answer.code });
};

export const startSmtpServer = async (options: SmtpServerOptions = {}): Promise<RunningSmtpServer> => {
  let connections = 0;
  const received: ReceivedMail[] = [];
  const running = { behaviour: 'accept' as SmtpBehaviour };
  const server = new SMTPServer({
    ...(options.tls ? { key: options.tls.key, cert: options.tls.cert, secure: options.tls.implicit } : {}),
    disabledCommands: [...(options.tls ? [] : ['STARTTLS']), ...(options.login ? [] : ['AUTH'])],
    authOptional: options.login === undefined,
    allowInsecureAuth: true,
    logger: false,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onAuth: (auth, _session, done) => {
      const isRight = auth.username === options.login?.user && auth.password === options.login?.pass;
      if (isRight) done(null, { user: auth.username });
      else done(Object.assign(new Error('authentication failed'), { responseCode: 535 }));
    },
    onRcptTo: (_address, _session, done) => {
      if (running.behaviour !== 'hang') done(failureOf(running.behaviour, 'recipient'));
    },
    onData: (stream, session, done) => {
      void (async () => {
        const raw = await buffer(stream);
        const failure = failureOf(running.behaviour, 'data');
        if (failure !== null) return done(failure);
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          raw: raw.toString(),
          email: await PostalMime.parse(raw),
        });
        done();
      })();
    },
  });
  server.on('error', () => {});
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return Object.assign(running, {
    host: '127.0.0.1',
    port: address.port,
    received,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const connection of server.connections) connection.close();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  });
};
