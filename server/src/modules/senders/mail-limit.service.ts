import type { AccountId } from '@portico/contract/accounts'
import { selectPowerUsers } from '#access'
import { requireAccount } from '#accounts'
import type { Config } from '#platform/config.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { quotedText, renderEmail } from '#platform/email-body.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { type Mail, MailRefused } from '#platform/mail.ts'
import { countMails, type MailDay, uncountMails, updateTold } from './mail-counts.queries.ts'
import { sendMailLimitJob } from './senders.jobs.ts'

type CountDeps = { db: Db; jobs: Jobs; limit: number }

/** Emails that are counted before they are sent. */
export type CountedMails = { release: () => Promise<void> }

const today = (): string => new Date().toISOString().slice(0, 10)

/**
 * Counts emails of an account before they are sent; each recipient is one. Returns null if they would exceed the daily
 * number; the first time on a day, the account's power users are emailed. `release` subtracts emails that were not
 * sent. If the process is killed in between, they stay counted.
 */
export async function reserveMails(
  { db, jobs, limit }: CountDeps,
  account: AccountId,
  count: number,
): Promise<CountedMails | null> {
  const day: MailDay = { kind: 'email', day: today() }
  if (await countMails(db, account, day, count, limit)) {
    return { release: () => uncountMails(db, account, day, count) }
  }
  await inTransaction(db, async (tx) => {
    if (!(await updateTold(tx, account, day, new Date()))) return
    await jobs.enqueue(tx, sendMailLimitJob, { account, day: day.day })
  })
  return null
}

type NoticeDeps = {
  database: { db: Db }
  mail: Mail
  log: Logger
  config: Pick<Config, 'company' | 'publicUrl' | 'mailDailyLimit'>
}

/** Emails the power users of an account that it can send no more emails on that day. These emails do not count. */
export async function sendMailLimit(
  { database: { db }, mail, log, config }: NoticeDeps,
  { account, day }: { account: AccountId; day: string },
): Promise<void> {
  const { name } = await requireAccount(db, account)
  const limit = config.mailDailyLimit.toLocaleString('en-US')
  const body = renderEmail({
    paragraphs: [
      `An account has sent its ${limit} emails of ${day} (UTC). Further deliveries by email fail until the end of that day.`,
      'Resend them from the details of their export or run tomorrow, or reduce the number of recipients.',
    ],
    quoted: [{ label: 'Account', text: name }],
    link: { label: 'See the exports', url: `${config.publicUrl}/contact-service/exports?account=${account}` },
    closing: ['You receive this email because you are a power user of this account.'],
    sender: config.company,
  })
  const subject = `Daily number of emails reached in ${quotedText(name)}`
  for (const to of await selectPowerUsers(db, account)) {
    // The same id when the job runs again after a crash: mail programs show the email once.
    const id = `mail-limit-${account}-${day}-${to.replaceAll(/[^\w.-]/g, '-')}`
    try {
      await mail.send({ id, to, subject, ...body })
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error
      log.warn({ reason: error.message, subject }, 'message refused')
    }
  }
}
