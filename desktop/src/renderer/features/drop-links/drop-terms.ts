// Terms of a drop link as its form holds them: text, until it is sent.
import type { DropField, DropLink } from '@recordproof/shared/api/drop-links.ts';
import type { DropLinkTexts } from '@recordproof/shared/words/app-drops.ts';

const MiB = 2 ** 20;

export type Terms = {
  readonly title: string;
  readonly message: string;
  readonly maxFiles: string;
  readonly maxMegabytes: string;
  readonly maxPerAddress: string;
};

export const firstTerms: Terms = {
  title: '',
  message: '',
  maxFiles: '1000',
  maxMegabytes: '10240',
  maxPerAddress: '200',
};

export const termsOf = (link: DropLink): Terms => ({
  title: link.title,
  message: link.message ?? '',
  maxFiles: String(link.maxFiles),
  maxMegabytes: String(Math.max(1, Math.round(link.maxBytes / MiB))),
  maxPerAddress: String(link.maxFilesPerAddress),
});

export const toTerms = ({ title, message, maxFiles, maxMegabytes, maxPerAddress }: Terms) => ({
  title: title.trim(),
  message: message.trim() === '' ? null : message,
  maxFiles: Number(maxFiles),
  maxBytes: Number(maxMegabytes) * MiB,
  maxFilesPerAddress: Number(maxPerAddress),
});

type RequestedFields = { readonly name: boolean; readonly mail: boolean; readonly others: string };

export const toFields = ({ name, mail, others }: RequestedFields, texts: DropLinkTexts): DropField[] => [
  ...(name ? [{ label: texts.askName, kind: 'NAME' as const, required: true }] : []),
  ...(mail ? [{ label: texts.askMail, kind: 'MAIL' as const, required: true }] : []),
  ...others
    .split(/[,，]/)
    .map(label => label.trim())
    .filter(label => label !== '')
    .map(label => ({ label, kind: 'TEXT' as const, required: true })),
];
