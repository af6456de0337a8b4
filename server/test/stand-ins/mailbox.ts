import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountId } from '@portico/contract/accounts'
import { isSameCaller } from '@portico/contract/email-address'
import PostalMime, { type Email } from 'postal-mime'
import { expect, vi } from 'vitest'
import { enqueueInvitation } from '#sign-in'
import type { TestPortal } from '#test/kit/portal.ts'

/** Returns the emails to a person in the outbox, oldest first. */
export async function messagesTo({ config }: TestPortal, email: string): Promise<Email[]> {
  const folder = join(config.dataDir, 'outbox')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted()
  const messages = await Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))))
  return messages.filter(({ to }) => to?.some(({ address = '' }) => isSameCaller(address, email)))
}

/** Waits until a person has received `count` emails in total; returns the last of them. */
export async function waitForMessage(portal: TestPortal, email: string, count = 1): Promise<Email> {
  return vi.waitFor(
    async () => {
      const messages = await messagesTo(portal, email)
      expect(messages).toHaveLength(count)
      return messages.at(-1) as Email
    },
    { timeout: 20_000, interval: 50 },
  )
}

/** Returns the secret of the link in an email. */
export function secretIn({ text = '' }: Pick<Email, 'text'>): string {
  return /#(?:invitation|link)=([\w-]{43})\b/.exec(text)?.[1] ?? ''
}

/** Creates an identity for a person without a password; the invitation is enqueued. Returns the person's id. */
export async function invite(portal: TestPortal, email: string, account: AccountId | null): Promise<string> {
  const { db, pool } = portal.parts.database
  await pool.query('INSERT INTO portico.persons (id, email, email_key) VALUES ($1, $2, $2) ON CONFLICT DO NOTHING', [
    crypto.randomUUID(),
    email,
  ])
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM portico.persons WHERE email = $1', [email])
  const personId = rows[0]?.id ?? ''
  await pool.query(
    'INSERT INTO portico.identities (id, person_id, account_id, invited_by) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [crypto.randomUUID(), personId, account, 'grace@example.com'],
  )
  await db.transaction().execute((tx) => enqueueInvitation(tx, portal.parts.jobs, { personId, account }))
  return personId
}
