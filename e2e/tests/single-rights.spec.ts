import { type Feature, features } from '@portico/contract/features'
import type { Export } from '@portico/contract/exports'
import type { Locator, Page, Request } from '@playwright/test'
import { type Access, accessOf } from '../access.ts'
import { apiOf } from '../api.ts'
import { powerAdmin } from '../iam-area.ts'
import { expect, makePerson, type Person, signIn, test } from '../portal.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { choose, dialogOf, openNewImport } from '../screens.ts'

/** Areas whose pages depend on rights; the others show pages of other products, and settings of the browser. */
const areas = ['Dashboards', 'Downloads', 'List Service']

/** The screens of the List Service, in the order of its menu, with the feature that opens them. */
const screens = {
  Dashboards: 'contact-dashboards-list',
  Imports: 'contact-import-list',
  Exports: 'contact-export-list',
  'Search & Analyze': 'contact-offers-list',
  Segments: 'contact-rdls-list',
  Deletes: 'contact-deletes-list',
  Fields: 'contact-fields-list',
  Indexes: 'contact-indexes-list',
  'Remote Accesses': 'contact-access-list',
} satisfies Record<string, Feature>

/** Buttons of a screen require the screen's right, too. */
const pairs: Feature[][] = [
  ['contact-import-list', 'contact-imports-create'],
  ['contact-export-list', 'contact-export-create'],
  ['contact-export-list', 'contact-export-create', 'contact-offers-list'],
  ['contact-offers-list', 'contact-rdls-list'],
  ['contact-offers-list', 'contact-rdls-create', 'contact-offers-delete', 'contact-indexes-create'],
  ['contact-indexes-list', 'contact-indexes-create'],
]

const actionsOf = (held: readonly Feature[]): string[] => [...new Set(held.map((feature) => features[feature]))]

// The keys of `features` are the type `Feature`.
const all = [...(Object.keys(features) as Feature[]).map((feature) => [feature]), ...pairs]
/** Features of the same action are the same right. */
const rights = [...new Map(all.map((held) => [actionsOf(held).join(), held])).values()]

const policyName = 'Single rights'

let prepared: Prepared
let person: Person
let access: Access
let policy: string
let contact: string
let savedFilter: string

test.beforeAll(async () => {
  prepared = await prepareAccount('Unicorn Stables', 'Undine')
  const { account } = prepared
  person = await makePerson('Ulf', { accounts: [account], mayNothing: true })
  access = await accessOf(powerAdmin, account)
  policy = await access.makePolicy(policyName, [features['contact-import-list']])
  const group = await access.makeGroup(policyName, [policy])
  await (await accessOf(prepared.person, account)).changeGroups(person.email, [group])

  const api = await apiOf(prepared.person, account)
  const lisbon = JSON.stringify([{ $match: { $and: [{ City: 'Lisbon' }] } }])
  const saved = { name: 'People of Lisbon', aggregateQuery: lisbon }
  savedFilter = (await api.post<{ _id: string }>('/contact-service/v1/rdls', saved))._id
  contact = (await api.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1'))[0]?._id ?? ''
  for (const [name, aggregateQuery] of [
    ['By a filter', lisbon],
    ['By a saved filter', JSON.stringify([{ $predefined: savedFilter }])],
  ]) {
    const body = { name, delimiter: 'csv', exportFields: ['Email'], aggregateQuery }
    const { _id } = await api.post<Export>('/contact-service/v1/exports', body)
    await api.until<Export>(`/contact-service/v1/exports/${_id}`, ({ status }) => status === 'completed')
  }
})

test('no screen requests anything that its viewer has no right to', async ({ page }) => {
  test.slow()
  const refused: string[] = []
  let viewer = ''
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${viewer}: ${new URL(response.url()).pathname}`)
  })
  const replied = repliesOf(page)
  await signIn(page, person, prepared.account, '/home')
  for (const held of rights) {
    viewer = held.join(', ')
    const actions = actionsOf(held)
    // An open page updates by itself: it would call once more with the rights that it is about to lose.
    await page.goto('about:blank')
    await access.changePolicy(policy, { name: policyName, actions })
    await page.goto('/home')
    const opened: string[] = []
    await expect(page.getByRole('region', { name: 'Recent activity' })).toBeVisible()
    await replied()
    for (const area of areas) {
      await openEntry(page.getByRole('navigation', { name: 'Main' }), area)
      await replied()
    }
    const menu = page.getByRole('navigation', { name: 'List Service' })
    for (const screen of await menu.getByRole('link').allTextContents()) {
      await openEntry(menu, screen)
      await expect(page.getByRole('heading', { level: 1, name: screen })).toBeVisible()
      await replied()
      opened.push(screen)
      await uses[screen]?.(page)
      await replied()
    }
    const expected = Object.entries(screens).filter(([, feature]) => actions.includes(features[feature]))
    expect(opened, viewer).toEqual(expected.map(([name]) => name))
  }
  expect(refused).toEqual([])
})

/** Waits until all requests of the page are complete. */
function repliesOf(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  // The stream of changes never ends.
  const isCall = (request: Request): boolean => /\/api\/(?!.*\/changes$)/.test(request.url())
  page.on('request', (request) => isCall(request) && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return () => expect.poll(() => open.size, { message: 'calls without a reply', intervals: [20] }).toBe(0)
}

async function openEntry(menu: Locator, name: string): Promise<void> {
  const link = menu.getByRole('link', { name, exact: true })
  await link.click()
  await expect(link).toHaveAttribute('aria-current', 'page')
}

/** Opens the rows and dialogs that a screen offers. */
const uses: Record<string, (page: Page) => Promise<void>> = {
  async Imports(page) {
    await page.getByRole('button', { name: 'Expand Spring leads' }).click()
    if (!(await page.getByRole('button', { name: 'NEW IMPORT' }).isVisible())) return
    const dialog = await openNewImport(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toBeHidden()
  },
  async Exports(page) {
    for (const name of ['Everybody', 'By a filter', 'By a saved filter']) {
      await page.getByRole('button', { name: `Expand ${name}`, exact: true }).click()
    }
    await useDialog(page, 'NEW EXPORT', 'New Export', async (dialog) => {
      await dialog.getByRole('button', { name: 'Edit filter' }).click()
      await useFilterBuilder(page, dialogOf(page, 'Filter'))
      await dialogOf(page, 'Filter').getByRole('button', { name: 'Cancel' }).click()
    })
  },
  async 'Search & Analyze'(page) {
    await page.getByRole('button', { name: 'FILTERS' }).click()
    await useFilterBuilder(page, page.getByRole('region', { name: 'Filter builder' }))
    await useDialog(page, 'Export Results', 'Export These Results')
    await useDialog(page, 'Delete Results', 'Delete Results')
    await page.goto(`/contact-service/documents/${contact}`)
    await expect(page.getByRole('heading', { name: 'Origin' })).toBeVisible()
    const filter = JSON.stringify([{ $predefined: savedFilter }])
    await page.goto(`/contact-service/documents?${new URLSearchParams({ filter })}`)
    await expect(page.getByText(/saved filter/).first()).toBeVisible()
    await useDialog(page, 'Save', 'Save as a Predefined Filter')
  },
  async Indexes(page) {
    await useDialog(page, 'NEW INDEX', 'Create a New Index')
  },
}

/** Opens a dialog if the screen offers it, and cancels it. */
async function useDialog(
  page: Page,
  label: string,
  title: string,
  act?: (dialog: Locator) => Promise<void>,
): Promise<void> {
  const button = page.getByRole('button', { name: label, exact: true })
  if (!(await button.isVisible()) || (await button.getAttribute('aria-disabled')) === 'true') return
  await button.click()
  const dialog = dialogOf(page, title)
  await act?.(dialog)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
}

/** Searches by a field without an index, then opens each tab. */
async function useFilterBuilder(page: Page, builder: Locator): Promise<void> {
  await builder.getByRole('button', { name: 'Add condition' }).click()
  await choose(page, builder.getByRole('combobox', { name: 'Field of condition 1' }), 'Note')
  await builder.getByRole('textbox', { name: 'Value of condition 1' }).fill('plain')
  await expect(builder.getByText(/^\d+ contacts?$/)).toHaveCount(2)
  for (const tab of await builder.getByRole('tab').all()) await tab.click()
}
