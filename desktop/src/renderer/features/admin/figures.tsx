/** Numbers that are read at a glance. */
export function Figures({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <dl className="figures sheet number">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
