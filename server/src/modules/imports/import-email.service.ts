import type { AccountId } from '@portico/contract/accounts'
import { sendEmailAbout } from '#delivery'
import { requireAccount } from '#accounts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import { renderEmail } from '#platform/email-body.ts'
import type { ImportRow } from './imports.queries.ts'

type EmailDeps = { db: Db; jobs: Jobs; config: Pick<Config, 'company' | 'publicUrl'> }

/**
 * Emails the figures of a completed import to its recipients. Safe to repeat: each import has one such email, which is
 * resent only if it failed.
 */
export async function emailImportFigures(
  { db, jobs, config }: EmailDeps,
  account: AccountId,
  row: ImportRow,
): Promise<void> {
  if (row.notification_emails.length === 0) return
  const { name: accountName } = await requireAccount(db, account)
  const text = renderEmail({
    paragraphs: [`The import ${row.name} into ${accountName} is complete.`, ...figuresOf(row)],
    link: { label: 'See the import', url: `${config.publicUrl}/contact-service/imports?account=${account}` },
    closing: ['You receive this email because you are a recipient of this import.'],
    sender: config.company,
  })
  await sendEmailAbout(
    { db, jobs },
    account,
    { kind: 'import', id: String(row.id) },
    {
      to: row.notification_emails,
      subject: `Import completed: ${row.name}`,
      ...text,
    },
  )
}

/** One paragraph per figure; figures that do not apply to this import are left out. */
function figuresOf(row: ImportRow): string[] {
  const figures: [string, number | null][] = [
    ['Rows in the file', row.total_records],
    ['Processed', row.processed_records],
    ['New', row.created_records],
    ['Updated', row.updated_records],
    ['Set aside for correction', row.set_aside_records],
    ['PURLs', row.generate_purl ? row.purl_processed_records : null],
  ]
  return figures.flatMap(([what, count]) => (count === null ? [] : [`${what}: ${count.toLocaleString('en-US')}`]))
}
