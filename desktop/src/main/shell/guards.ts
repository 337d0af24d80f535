// Guards of every page: it cannot navigate, open windows, embed other pages, or get permissions.
import type { App, Session, WebContents } from 'electron';
import { appOrigin } from './app-protocol.ts';

function guardContents(contents: WebContents): void {
  contents.on('will-navigate', event => event.preventDefault());
  contents.on('will-frame-navigate', event => {
    if (!event.url.startsWith('blob:')) event.preventDefault();
  });
  contents.on('will-attach-webview', event => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

export function guardPages(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents));
}

export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}

type Frame = { readonly url: string; readonly parent: unknown };

/** The page of the app itself, in its own window and not in a frame. */
export const isOwnPage = (frame: Frame | null): boolean =>
  frame !== null && frame.parent === null && (frame.url === appOrigin || frame.url.startsWith(`${appOrigin}/`));
