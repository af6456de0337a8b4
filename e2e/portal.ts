import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type BrowserContext, expect, type Locator, type Page, test as base } from '@playwright/test'

export { expect }

export type Account = { id: number; name: string }
export type Person = { email: string; password: string }

/** What went wrong in the browser or on the server during a test. Whatever a test does not expect fails it. */
export type Trouble = {
  /** Announces what the test provokes, once or more often: `401 POST /api/identity/v1/login`. */
  expect: (...answers: string[]) => void
  /** What may happen or not: a list that was being asked for when its session ended. */
  allow: (answer: RegExp) => void
}

/** Every test: fails on errors in a page's console, uncaught errors, refused or failed requests and server errors. */
export const test = base.extend<{ trouble: Trouble }>({
  trouble: [
    async ({ context }, use) => {
      const seen = watch(context)
      const expected: string[] = []
      const allowed: RegExp[] = []
      const logged = await serverErrorsFromNow()
      await use({
        expect: (...answers) => void expected.push(...answers),
        allow: (answer) => void allowed.push(answer),
      })
      const wrong = [...new Set(seen)].filter((one) => expected.includes(one) || !allowed.some((may) => may.test(one)))
      expect(wrong, 'what went wrong in the browser').toEqual(expected)
      expect(await logged(), 'what the server logged as an error').toEqual([])
    },
    { auto: true },
  ],
})

function watch(context: BrowserContext): string[] {
  const seen: string[] = []
  context.on('console', (message) => {
    // Chromium repeats each refused answer here, without its method.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) seen.push(message.text())
  })
  context.on('weberror', (error) => seen.push(error.error().stack ?? error.error().message))
  context.on('response', (response) => {
    const path = new URL(response.url()).pathname
    if (response.status() >= 400) seen.push(`${response.status()} ${response.request().method()} ${path}`)
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // A question that the page no longer asks, or a navigation that became a download.
    if (reason !== 'net::ERR_ABORTED') seen.push(reason ?? 'failed')
  })
  return seen
}

/** Answers a function that reads what the portal has logged as an error since. */
async function serverErrorsFromNow(): Promise<() => Promise<unknown[]>> {
  const log = await open(join(setting('PORTICO_E2E_DATA'), 'portal.log'))
  const { size } = await log.stat()
  return async () => {
    const lines = (await text(log.createReadStream({ start: size }))).split('\n').filter((line) => line.startsWith('{'))
    // pino's numbers: 50 is an error, 60 fatal.
    return lines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level >= 50)
  }
}

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: the tests run with a portal that serve.ts has started.`)
  return value
}

export const portalUrl = (): string => setting('PORTICO_E2E_URL')
export const databaseUrl = (): string => setting('PORTICO_E2E_DATABASE')
/** Where the portal writes its mail. */
export const outbox = (): string => join(setting('PORTICO_E2E_DATA'), 'outbox')

/** A name that no other spec uses, nor this one when it goes on after a failure. */
function unique(name: string): string {
  const { workerIndex } = test.info()
  return workerIndex === 0 ? name : `${name} ${workerIndex + 1}`
}

export async function makeAccount(name: string): Promise<Account> {
  const [made] = await portico<{ Key: number; Value: string }>(['accounts', 'create', '--name', unique(name)])
  return { id: made.Key, name: made.Value }
}

type PersonOptions = {
  /** Where they may go; power users there unless `mayNothing`. */
  accounts: Account[]
  mayNothing?: boolean
  /** Made before, with a password that they keep. */
  isKnown?: boolean
  /** The password is the one that the portal prints, for choosing another one. */
  isMadeUp?: boolean
}

/** Somebody who can sign in. */
export async function makePerson(
  name: string,
  { accounts, mayNothing = false, isKnown = false, isMadeUp = false }: PersonOptions,
): Promise<Person> {
  const email = `${unique(name).replaceAll(' ', '.').toLowerCase()}@example.com`
  let password = `the password of ${name}`
  for (const [index, account] of accounts.entries()) {
    const power = mayNothing ? [] : ['--power-user']
    // Who has a password already keeps it.
    const isNew = index === 0 && !isKnown
    const given = isNew && !isMadeUp ? ['--password-stdin'] : []
    const call = ['identities', 'create', '--email', email, '--account', String(account.id), ...power, ...given]
    const [made] = await portico<{ password?: string }>(call, isNew ? password : '')
    password = made.password ?? password
  }
  return { email, password }
}

/** Runs the operator's command line beside the portal and answers what it prints. */
async function portico<T>(call: string[], input = ''): Promise<[T, ...T[]]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../server/src/cli.ts'), ...call], {
    env: { ...process.env, DATA_DIR: setting('PORTICO_E2E_DATA'), DATABASE_URL: databaseUrl() },
  })
  child.stdin.end(input)
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (errors || !out) throw new Error(`portico ${call.join(' ')}: ${errors}`)
  // The command line prints one line of JSON for each result, and at least one.
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T) as [T, ...T[]]
}

/** Types what a person signs in with; the page has to be the sign-in page. */
export async function enterCredentials(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in on the way to the List Service, or to another place, and chooses the account where there is a choice. */
export async function signIn(page: Page, person: Person, account?: Account, place = '/contact-service'): Promise<void> {
  await page.goto(place)
  await enterCredentials(page, person)
  if (account) await page.getByRole('list', { name: 'Accounts' }).getByRole('button', { name: account.name }).click()
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).not.toHaveText(/Sign in|Choose an account/)
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeAttached()
}

/** Opens a screen by the side menu. */
export async function openScreen(page: Page, name: 'Imports' | 'Exports' | 'Search & Analyze'): Promise<void> {
  await page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

/** The token that the page sends with a call to `path`; asks by `act`. */
export async function authorizationOf(page: Page, path: RegExp, act: () => Promise<unknown>): Promise<string> {
  const [request] = await Promise.all([page.waitForRequest(path), act()])
  const { authorization = '' } = await request.allHeaders()
  expect(authorization).toMatch(/^Bearer ./)
  return authorization
}

/** An address as the browser shows it: a path of the portal, with the account that it names. */
export const addressIn = (account: Account, path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}account=${account.id}`

/** The bar's choice of accounts. */
export const accountPicker = (page: Page): Locator => page.getByRole('combobox', { name: 'Account' })

export async function switchAccount(page: Page, account: Account): Promise<void> {
  await accountPicker(page).click()
  await page.getByRole('option', { name: account.name }).click()
  await expect(accountPicker(page)).toHaveValue(account.name)
}
