// Report of the verifier: the verdict and its meaning, next steps, the vouchers, and every check.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { ExistenceText } from '@recordproof/verifier/existence/describe-existence.ts';
import { checkTexts } from '@recordproof/verifier/report/check-texts.ts';
import { listFacts } from '@recordproof/verifier/report/facts.ts';
import { describeFinding } from '@recordproof/verifier/report/finding-texts.ts';
import { listNextSteps } from '@recordproof/verifier/report/next-steps.ts';
import { explain } from '@recordproof/verifier/report/outcome-texts.ts';
import { describeStatements, type StatementTexts } from '@recordproof/verifier/report/statements.ts';
import type { CheckResult, VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { useEffect, useRef } from 'react';
import type { Verified } from '../../../bridge/bridge.ts';
import { useLanguage, useTexts } from '../../context.ts';
import { Certificate, type Checked } from './certificate.tsx';

type Reported = { readonly report: VerificationReport };

const tones = { VALID: 'good', INVALID: 'bad', INDETERMINATE: 'open', ERROR: 'broken' } as const;
const checkTones = { PASS: 'good', FAIL: 'bad', INDETERMINATE: 'open', ERROR: 'broken', NOT_RUN: '' } as const;
const standingOf = ({ status, code }: CheckResult): keyof typeof checkTones =>
  code === 'NOT_RUN' ? 'NOT_RUN' : status;

export function Report({ report, existence, checked }: Verified & { readonly checked: Checked }) {
  const texts = useTexts().check;
  const language = useLanguage();
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => title.current?.focus(), []);
  const { headline, meaning, limits } = explain(report, language);
  const steps = listNextSteps(report, language);
  return (
    <div ref={shown} className="stack">
      <section className={`verdict ${tones[report.outcome]}`}>
        <p className="chip">{report.outcome}</p>
        <h2 ref={title} tabIndex={-1}>
          {headline}
        </h2>
        <p>{texts.judged(toShownName(checked.original.name))}</p>
        <h3>{texts.means}</h3>
        <p>{meaning}</p>
        <h3>{texts.meansNot}</h3>
        <p>{limits}</p>
        {steps.length > 0 && <h3>{texts.canDo}</h3>}
        <ul>
          {steps.map(step => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      </section>
      <Statements {...describeStatements(report, existence?.told, language)} />
      {existence && <Existence existence={existence.told} />}
      <Facts report={report} />
      <Checks report={report} />
      <Certificate report={report} checked={checked} shown={shown} />
    </div>
  );
}

const FactList = ({ of }: { readonly of: readonly (readonly [name: string, value: string])[] }) => (
  <dl className="facts">
    {of.flatMap(([name, value]) => [
      <dt key={name}>{name}</dt>,
      <dd key={`${name} value`}>
        <code>{value}</code>
      </dd>,
    ])}
  </dl>
);

function Facts({ report }: Reported) {
  const texts = useTexts().check;
  const language = useLanguage();
  return (
    <section className="card form">
      <h2>{texts.facts}</h2>
      <FactList of={listFacts(report, language)} />
    </section>
  );
}

function Checks({ report }: Reported) {
  const texts = useTexts().check;
  const language = useLanguage();
  return (
    <section className="card form">
      <h2>{texts.checks}</h2>
      <ul className="checks">
        {report.checks.map(check => {
          const standing = standingOf(check);
          return (
            <li key={check.id}>
              <span className={`chip ${checkTones[standing]}`}>{texts.status[standing]}</span>
              <span>{describeFinding(check, language) ?? checkTexts[language][check.id]}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const Statements = ({ headline, statements, limits }: StatementTexts) => (
  <section className="card statements">
    <p className="headline">{headline}</p>
    {statements.map(({ id, standing, mark, title, lines }) => (
      <div key={id} className={`statement ${standing}`} data-statement={id}>
        <p>
          <strong>{title}</strong> <span className="mark">{mark}</span>
        </p>
        {lines.map(line => (
          <p key={line} className="line">
            {line}
          </p>
        ))}
      </div>
    ))}
    <p className="line">{limits}</p>
  </section>
);

const existenceTones = { EXISTED: 'good', CONTRADICTED: 'bad', NOT_SHOWN: 'open', ERROR: 'broken' } as const;
const rowTones = { HOLDS: 'good', CONTRADICTED: 'bad', MISSING: 'open', DAMAGED: 'broken' } as const;

function Existence({ existence }: { readonly existence: ExistenceText }) {
  const { outcome, title, headline, reason, facts, sections, advice, limits } = existence;
  return (
    <>
      <section className={`verdict ${existenceTones[outcome]}`}>
        <p className="chip">{outcome}</p>
        <h2>{title}</h2>
        <p>{headline}</p>
        {reason && (
          <p>
            {reason[0]}: <code>{reason[1]}</code>
          </p>
        )}
        {[...advice, limits].map(line => (
          <p key={line}>{line}</p>
        ))}
        <FactList of={facts} />
      </section>
      {sections.map(section => (
        <section key={section.title} className="card form">
          <h2>{section.title}</h2>
          <ul className="checks">
            {section.rows.map(row => (
              <li key={`${row.code} ${row.title}`}>
                <span className={`chip ${rowTones[row.standing]}`}>{row.mark}</span>
                <span>
                  <strong>{row.title}</strong>
                  {row.lines.map(line => (
                    <span key={line}> {line}</span>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
