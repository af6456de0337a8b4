import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type BrowserContext, expect, type Locator, type Page, test as base } from '@playwright/test'
import { createAccount } from '../server/src/modules/accounts/index.ts'
import { createIdentityWithPassword } from '../server/src/modules/sign-in/index.ts'
import { type Database, openDatabase } from '../server/src/platform/database.ts'
import { createLog } from '../server/src/platform/log.ts'

export { expect }

export type Account = { id: number; name: string }
export type Person = { email: string; password: string }

/** Errors in the browser or on the server during a test. Unexpected ones fail it. */
export type Trouble = {
  /** Expects an error at least once: `401 POST /api/identity/v1/login`. */
  expect: (...answers: string[]) => void
  /** Allows an error, such as for a list that was loading when the session ended. */
  allow: (answer: RegExp) => void
}

/** Makes every test fail on console errors, uncaught errors, refused or failed requests, and server errors. */
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
    // Chromium repeats each error response here, without its method.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) seen.push(message.text())
  })
  context.on('weberror', (error) => seen.push(error.error().stack ?? error.error().message))
  context.on('response', (response) => {
    const path = new URL(response.url()).pathname
    if (response.status() >= 400) seen.push(`${response.status()} ${response.request().method()} ${path}`)
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // A request aborted by the page, or a navigation that became a download.
    if (reason !== 'net::ERR_ABORTED') seen.push(reason ?? 'failed')
  })
  return seen
}

/** Returns a function that reads the errors that the portal has logged, and the warnings of Node, since this call. */
async function serverErrorsFromNow(): Promise<() => Promise<unknown[]>> {
  const log = await open(join(setting('PORTICO_E2E_DATA'), 'portal.log'))
  const { size } = await log.stat()
  return async () => {
    const lines = (await text(log.createReadStream({ start: size }))).split('\n')
    const entries = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { level: number })
    const warnings = lines.filter((line) => /^\(node:\d+\) .*Warning/.test(line))
    // pino's numbers: 50 is an error, 60 fatal.
    return [...entries.filter(({ level }) => level >= 50), ...warnings]
  }
}

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: the tests run with a portal that serve.ts has started.`)
  return value
}

export const portalUrl = (): string => setting('PORTICO_E2E_URL')
export const databaseUrl = (): string => setting('PORTICO_E2E_DATABASE')
/** Folder of the portal's outgoing mail. */
/** Messages that the portal has sent through a real mail server (`mail-server.ts`). */
export const mailbox = (): string => join(setting('PORTICO_E2E_DATA'), 'mailbox')

let opened: Database | undefined

/** The portal's database, for changes without a screen. */
const database = (): Database => (opened ??= openDatabase(databaseUrl(), createLog({ level: 'silent' }), { max: 1 }))

/** Spec files of this worker by the names that they requested. */
const askers = new Map<string, Set<string>>()

/** Returns a name that no other spec file or worker gets; a retry runs in another worker and gets a new one. */
function unique(name: string): string {
  const { workerIndex, file } = test.info()
  const files = (askers.get(name) ?? new Set()).add(file)
  askers.set(name, files)
  const earlier = [...files].indexOf(file)
  return [name, ...(workerIndex + earlier > 0 ? [workerIndex + 1] : []), ...(earlier > 0 ? [earlier + 1] : [])].join(
    ' ',
  )
}

export async function makeAccount(name: string): Promise<Account> {
  const account = { name: unique(name), parent: null }
  return { id: await createAccount(database(), account), name: account.name }
}

type PersonOptions = {
  /** The person's accounts, as a power user unless `mayNothing`. */
  accounts: Account[]
  mayNothing?: boolean
  /** Already exists, and keeps their password. */
  isKnown?: boolean
  /** Keeps the generated password, which must be changed at the first sign-in. */
  isMadeUp?: boolean
}

/** Creates a person who can sign in. */
export async function makePerson(
  name: string,
  { accounts, mayNothing = false, isKnown = false, isMadeUp = false }: PersonOptions,
): Promise<Person> {
  const email = `${unique(name).replaceAll(' ', '.').toLowerCase()}@example.com`
  // The password must not contain the name.
  let password = 'correct horse battery staple 9041'
  for (const [index, account] of accounts.entries()) {
    // Existing people keep their password.
    const given = index === 0 && !isKnown && !isMadeUp ? { password } : {}
    const draft = { email, account: account.id, powerUser: !mayNothing, ...given }
    const made = await createIdentityWithPassword(database().db, draft)
    password = made.password ?? password
  }
  return { email, password }
}

/** Creates one more power admin. */
export async function makePowerAdmin(name: string): Promise<Person> {
  const email = `${unique(name).replaceAll(' ', '.').toLowerCase()}@example.com`
  const password = 'correct horse battery staple 9041'
  await createIdentityWithPassword(database().db, { email, account: null, powerUser: false, password })
  return { email, password }
}

/** Fills in the sign-in page with a person's email and password. */
export async function enterCredentials(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in and opens the List Service or another page; with several accounts, in the given one. */
export async function signIn(page: Page, person: Person, account?: Account, place = '/contact-service'): Promise<void> {
  const session = JSON.stringify(await sessionOf(page, person, account))
  // A page of the portal's origin without its code, which would read the stored session.
  await page.goto('/healthz')
  await page.evaluate((kept) => {
    sessionStorage.removeItem('portico.tab')
    localStorage.setItem('portico.signIn', kept)
  }, session)
  await page.goto(place)
  await expectSignedIn(page)
}

/** Signs in through the sign-in page, for tests of the data it stores. */
export async function signInByHand(page: Page, person: Person, account?: Account, place = '/contact-service') {
  await page.goto(place)
  await enterCredentials(page, person)
  if (account) await page.getByRole('list', { name: 'Accounts' }).getByRole('button', { name: account.name }).click()
  await expectSignedIn(page)
}

async function expectSignedIn(page: Page): Promise<void> {
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).not.toHaveText(/Sign in|Choose an account/)
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeAttached()
}

/** Creates a session with the calls of the sign-in page, in the form stored by the browser. */
async function sessionOf({ request }: Page, { email, password }: Person, account?: Account) {
  const login = await request.post('/api/identity/v1/login', { data: { email, password } })
  const { token: half, accounts } = (await login.json()) as { token: string; accounts: { Key: number }[] }
  const entered = account?.id ?? accounts[0]?.Key ?? null
  const headers = { authorization: `Bearer ${half}` }
  const entry = await request.get(`/api/identity/v1/login/${entered}`, { headers })
  expect(entry.status(), `${email} signs in`).toBe(200)
  const { token } = (await entry.json()) as { token: string }
  return { token, email, account: entered }
}

/** Opens a screen by the side menu. */
export async function openScreen(page: Page, name: 'Imports' | 'Exports' | 'Search & Analyze'): Promise<void> {
  await page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

/** Returns the token that the page sends with a call to `path`, triggered by `act`. */
export async function authorizationOf(page: Page, path: RegExp, act: () => Promise<unknown>): Promise<string> {
  const [request] = await Promise.all([page.waitForRequest(path), act()])
  const { authorization = '' } = await request.allHeaders()
  expect(authorization).toMatch(/^Bearer ./)
  // Otherwise a test that ends the session might abort this call instead of the next one.
  await (await request.response())?.finished()
  return authorization
}

/** Returns the path of a browser URL and the account in it. */
export const addressIn = (account: Account, path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}account=${account.id}`

/** The account menu of the top bar. */
export const accountPicker = (page: Page): Locator => page.getByRole('combobox', { name: 'Account' })

export async function switchAccount(page: Page, account: Account): Promise<void> {
  await accountPicker(page).click()
  await page.getByRole('option', { name: account.name }).click()
  await expect(accountPicker(page)).toHaveValue(account.name)
}
