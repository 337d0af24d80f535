// The names alone, for the preload: it checks no shapes, and need not load them.

export const requestNames = [
  'program.look',
  'server.call',
  'call.giveUp',
  'session.signIn',
  'session.signOut',
  'session.restore',
  'session.reload',
  'session.changePassword',
  'uploads.add',
  'uploads.pause',
  'uploads.resume',
  'uploads.cancel',
  'uploads.supply',
  'uploads.clear',
  'downloads.start',
  'downloads.pause',
  'downloads.resume',
  'downloads.cancel',
  'downloads.clear',
  'downloads.show',
  'downloads.read',
  'downloads.readPicture',
  'servers.add',
  'servers.choose',
  'servers.remove',
  'settings.change',
  'clipboard.write',
] as const;

export const pushNames = [
  'session',
  'feed',
  'serverUrl',
  'event',
  'uploads',
  'downloads',
  'servers',
  'settings',
  'link',
] as const;

export type RequestName = (typeof requestNames)[number];
export type PushName = (typeof pushNames)[number];

export const requestChannel = (name: RequestName): string => `ask:${name}`;
export const pushChannel = (name: PushName): string => `tell:${name}`;
