// Printable result of a verification: files, time and verdict. It is a certificate only if everything was confirmed.

import { appFilesWords } from '@recordproof/shared/words/app-files.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { type RefObject, useMemo } from 'react';
import { useLanguage } from '../../context.ts';
import { formatNumber, formatTime } from '../../format.ts';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { canShareFile, saveFile, shareFile, toCertificateFile } from './certificate-file.ts';

export type Checked = {
  readonly original: File;
  readonly proof: File;
  /** The server that answered for issuer and chain. */
  readonly askedServer: string | null;
};

/** Without characters that could hide or reverse the text next to them. */
const toName = ({ name }: File): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

type Certified = {
  readonly report: VerificationReport;
  readonly checked: Checked;
  /** The stored parts of a result. */
  readonly shown: RefObject<HTMLElement | null>;
};

export function Certificate({ report, checked, shown }: Certified) {
  const language = useLanguage();
  const texts = appFilesWords[language];
  const { computedContentHash } = report.summary;
  return (
    <section className="card form">
      <h2>{report.outcome === 'VALID' ? texts.certificate : texts.noCertificate}</h2>
      <dl className="facts">
        <dt>{texts.original}</dt>
        <dd>
          <bdi>{toName(checked.original)}</bdi>
          <br />
          {texts.bytes(formatNumber(checked.original.size, language))}
          <br />
          <code>{computedContentHash ?? texts.unread}</code>
        </dd>
        <dt>{texts.archive}</dt>
        <dd>
          <bdi>{toName(checked.proof)}</bdi>
          <br />
          {texts.bytes(formatNumber(checked.proof.size, language))}
        </dd>
        <dt>{texts.asked}</dt>
        <dd>{checked.askedServer === null ? texts.noServer : <code>{checked.askedServer}</code>}</dd>
      </dl>
      <p className="small">{texts.trust[report.summary.keySource]}</p>
      <p className="small">{texts.about(report.verifierVersion, formatTime(report.verifiedAt, language))}</p>
      <p className="small">{texts.unsigned}</p>
      <Keep
        title={report.outcome === 'VALID' ? texts.certificate : texts.noCertificate}
        checked={checked}
        shown={shown}
      />
    </section>
  );
}

const sample = new File([''], 'certificate.html', { type: 'text/html' });

function Keep({ title, checked, shown }: Pick<Certified, 'checked' | 'shown'> & { readonly title: string }) {
  const language = useLanguage();
  const texts = appFilesWords[language];
  const canShare = useMemo(() => canShareFile(sample), []);
  const { run, isBusy, error } = useAction(async (use: (file: File) => void | Promise<void>) => {
    if (shown.current !== null)
      await use(toCertificateFile(shown.current, { title, name: toName(checked.original), language }));
  });
  return (
    <>
      <Problem error={error} />
      <div className="actions unprinted">
        <button type="button" className="plain" onClick={() => globalThis.print()}>
          {texts.print}
        </button>
        <button type="button" className="plain" disabled={isBusy} onClick={() => run(saveFile)}>
          {texts.saveCertificate}
        </button>
        {canShare && (
          <button type="button" className="plain" disabled={isBusy} onClick={() => run(shareFile)}>
            {texts.shareCertificate}
          </button>
        )}
      </div>
    </>
  );
}
