import type { AccountId } from '@portico/contract/accounts'
import { sendEmailAbout } from '#delivery'
import { requireAccount } from '#accounts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { cancelledByUser } from '#platform/jobs/job-runs.ts'
import { renderEmail } from '#platform/email-body.ts'
import { withoutValues } from './import-reason.ts'
import type { ImportRow } from './imports.queries.ts'

type EmailDeps = { db: Db; jobs: Jobs; config: Pick<Config, 'company' | 'product' | 'publicUrl'> }

/**
 * Emails the figures of an ended import to its recipients: complete, or rejected with the reason. Safe to repeat: each
 * import has one such email, which is sent again only if it failed.
 */
export async function emailImportFigures(
  { db, jobs, config }: EmailDeps,
  account: AccountId,
  row: ImportRow,
): Promise<void> {
  if (row.notification_emails.length === 0) return
  const { name: accountName } = await requireAccount(db, account)
  const end = endOf(row)
  const url = `${config.publicUrl}/contact-service/imports?account=${account}&import=${row.id}`
  // The page of the import links to the report, for users who may read it.
  const setAside = row.report_key ? [setAsideAdvice(row)] : []
  const label = row.report_key ? 'See the import and its report' : 'See the import'
  const text = renderEmail({
    paragraphs: [`An import of contacts on ${config.product} ${end.text}`, ...figuresOf(row), ...setAside],
    quoted: [
      { label: 'Import', text: row.name },
      { label: 'Account', text: accountName },
      ...(end.reason === null ? [] : [{ label: 'Reason', text: end.reason }]),
    ],
    link: { label, url },
    closing: ['You receive this email because you are a recipient of this import.'],
    sender: config.company,
  })
  const subject = { kind: 'import' as const, id: String(row.id) }
  const email = { to: row.notification_emails, subject: `${end.title} on ${config.product}`, ...text }
  await sendEmailAbout({ db, jobs }, account, subject, email, { position: end.position })
}

type End = { title: string; text: string; reason: string | null; position: number }

/**
 * The title, the end of the first sentence, the reason, which may contain names from the file, and the position among
 * the emails about the import.
 */
function endOf({ status, recovery_error: reason }: ImportRow): End {
  if (status !== 'rejected') return { title: 'Import completed', text: 'is complete.', reason: null, position: 0 }
  // An import cancelled at the last moment may have sent the other email already.
  if (reason === cancelledByUser)
    return { title: 'Import cancelled', text: 'was cancelled by a user.', reason: null, position: 1 }
  return { title: 'Import rejected', text: 'was rejected.', reason: reason && withoutValues(reason), position: 1 }
}

/** Explains how to use the report of an import. */
function setAsideAdvice({ set_aside_records: rows, set_aside_cells: cells, dedup_columns: keys }: ImportRow): string {
  const what = [rows > 0 && 'rows', cells > 0 && 'cells'].filter(Boolean).join(' and ')
  const list = `The report lists the ${what} that were set aside, with their lines and reasons.`
  if (cells === 0 || keys.length > 0) return `${list} Correct it, and import it again.`
  // Without a key, a row that was loaded would be added a second time.
  const fix = rows > 0 ? ' Correct these rows, and import them again.' : ''
  return `${list}${fix} Rows with cells set aside are loaded already.`
}

/** Returns one paragraph per figure; figures that do not apply to this import are left out. */
function figuresOf(row: ImportRow): string[] {
  const figures: [string, number | null][] = [
    ['Rows in the file', row.total_records],
    ['Processed', row.processed_records],
    ['New', row.created_records],
    ['Updated', row.updated_records],
    ['Rows set aside', row.set_aside_records],
    ['Cells set aside', row.set_aside_cells > 0 ? row.set_aside_cells : null],
    ['Empty rows skipped', row.empty_records],
    ['PURLs', row.generate_purl ? row.purl_processed_records : null],
  ]
  return figures.flatMap(([what, count]) => (count === null ? [] : [`${what}: ${count.toLocaleString('en-US')}`]))
}
