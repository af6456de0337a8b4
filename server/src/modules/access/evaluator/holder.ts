/**
 * Whose rights apply to something stored for later use: a signed link, a dashboard, a cron. `credential`: the rights of
 * its identity, as long as the credential works. `identity`: saved by a person in their own session. `session`: a link
 * that a person created, with all their identities. An identity is stored together with its person, because it can be
 * handed over to another one.
 */
export type Holder =
  | { kind: 'session'; person: string }
  | { kind: 'identity'; identity: string; person: string | null }
  | { kind: 'credential'; identity: string; person: string | null; credential: string | null }
  | { kind: 'impersonation'; link: string }

/** A holder as it is stored: its kind and ids. */
export function holderText(holder: Holder): string {
  switch (holder.kind) {
    case 'session':
      return `session ${holder.person}`
    case 'identity':
      return ['identity', holder.identity, holder.person].join(' ').trim()
    case 'credential':
      return ['credential', holder.identity, holder.person, holder.credential].join(' ').trim()
    case 'impersonation':
      return `impersonation ${holder.link}`
  }
}

/** Reads a stored holder; those of earlier releases lack a person or a credential. */
export function readHolder(text: string): Holder {
  const [kind, id = '', person = null, credential = null] = text.split(' ')
  if (kind === 'session') return { kind, person: id }
  if (kind === 'impersonation') return { kind, link: id }
  if (kind === 'credential') return { kind, identity: id, person, credential }
  return { kind: 'identity', identity: id, person }
}
