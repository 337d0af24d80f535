// Tray of the desktop app, with the progress of transfers; it stays while no window is open.
import { shellWords } from '@recordproof/shared/words/shell.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import { drawTrayIcon } from './tray-icon.ts';

type Commands = { readonly open: () => void; readonly quit: () => void };

export type TrayPart = {
  showProgress(share: number | null): void;
  setLanguage(language: Language): void;
};

const size = 32;

const toImage = (share: number | null) =>
  nativeImage.createFromBitmap(drawTrayIcon(size, share), { width: size, height: size, scaleFactor: 2 });

const toTip = (share: number | null): string =>
  share === null ? 'RecordProof' : `RecordProof: ${Math.floor(share * 100)} %`;

export function openTray({ open, quit }: Commands): TrayPart {
  const tray = new Tray(toImage(null));
  tray.setToolTip(toTip(null));
  const setLanguage = (language: Language) => {
    const texts = shellWords[language];
    const items: MenuItemConstructorOptions[] = [
      { label: texts.open, click: open },
      { type: 'separator' },
      { label: texts.quit, click: quit },
    ];
    tray.setContextMenu(Menu.buildFromTemplate(items));
  };
  tray.on('click', open);
  let shown = toTip(null);
  return {
    setLanguage,
    showProgress(share) {
      const tip = toTip(share);
      if (tip === shown) return;
      shown = tip;
      tray.setToolTip(tip);
      tray.setImage(toImage(share));
    },
  };
}
