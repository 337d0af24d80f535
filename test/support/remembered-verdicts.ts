// For tests that count guesses: a server checks the same password against the same hash only once, because the hash
// is slow on purpose. Not for rivals, whose races need the time that a check takes.
import type { TestApp } from './app.ts';

type Passwords = TestApp['app']['server']['passwords'];

/** Until it is disposed. */
export function rememberVerdicts({ app }: TestApp): Disposable {
  const { passwords } = app.server;
  const verdicts = new Map<string, ReturnType<Passwords['verify']>>();
  const quick: Pick<Passwords, 'verify' | 'pretendToVerify'> = {
    verify: (password, stored, ip) => {
      const key = `${stored} ${password}`;
      const verdict =
        verdicts.get(key) ?? Object.getPrototypeOf(passwords).verify.call(passwords, password, stored, ip);
      verdicts.set(key, verdict);
      return verdict;
    },
    pretendToVerify: async () => false,
  };
  Object.assign(passwords, quick);
  return {
    [Symbol.dispose]: () => {
      for (const name of Object.keys(quick)) Reflect.deleteProperty(passwords, name);
    },
  };
}
