// What has to be known before the parts that draw are even loaded.

/** Where a screen can be drawn and keys can be read; everywhere else lines do. */
export const isScreen = (): boolean =>
  process.stdout.isTTY === true && process.stdin.isTTY === true && process.env.TERM !== 'dumb';

/** Called before a module that draws is loaded: otherwise React checks itself at every step, and remembers it all. */
export const prepareScreens = (): void => {
  process.env.NODE_ENV ??= 'production';
};
