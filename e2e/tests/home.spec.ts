import type { Dashboard } from '@portico/contract/dashboards'
import type { Page } from '@playwright/test'
import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { expectSmall, firstLoad } from '../first-load.ts'
import { expectPresentable } from '../iam-area.ts'
import { type Account, addressIn, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { dialogOf, expectNoSideScroll } from '../screens.ts'

let prepared: Prepared
let empty: Account
let guest: Person

/** Layout shifts while the page loaded; empty if nothing moved. */
const movesOf = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    // Shifts are recorded with the frame that shows them: the first frame is complete when the second begins.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    return observer.takeRecords().map((entry) => JSON.stringify(entry))
  })

/** Whether the page requested scripts with this name only after its first paint. */
const isAfterFirstPaint = (page: Page, script: RegExp): Promise<boolean> =>
  page.evaluate((name) => {
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    const scripts = performance.getEntriesByType('resource').filter((entry) => new RegExp(name).test(entry.name))
    return scripts.length > 0 && scripts.every(({ startTime }) => startTime > (paint?.startTime ?? Infinity))
  }, script.source)

test.beforeAll(async () => {
  prepared = await prepareAccount('Willow Nursery', 'Olga')
  empty = await makeAccount('Yarrow Chemist')
  guest = await makePerson('Pavel', { accounts: [empty], mayNothing: true })
})

test('the home page shows the figures and recent activity of the account, with links', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/')
  await expect(page.getByRole('heading', { level: 1, name: /^Good (morning|afternoon|evening), / })).toBeVisible()
  const figures = page.getByRole('list', { name: 'Account figures' }).getByRole('link')
  await expect(figures).toHaveText([
    'Contacts60',
    'Imports2',
    'Exports this month1',
    /^Last importDoubtful leadsrejected, /,
  ])
  const recent = page.getByRole('region', { name: 'Recent activity' })
  await expect(recent.getByRole('listitem')).toHaveCount(3)
  await expect(recent.getByRole('listitem').first()).toContainText('Everybody')
  await expect(recent.getByRole('listitem').first()).toContainText('Export completed · 60 records')
  await recent.getByRole('link', { name: 'Spring leads' }).click()
  await expect(page).toHaveURL(addressIn(prepared.account, '/contact-service/imports?name=Spring+leads'))
  await expect(page.getByText('1 import found')).toBeVisible()
})

test('a quick action opens the form for a new import, and a reload does not open it again', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/home')
  await page
    .getByRole('navigation', { name: 'Quick actions' })
    .getByRole('link', { name: /^NEW IMPORT/ })
    .click()
  const dialog = dialogOf(page, 'New Import')
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await expect(dialog).toBeHidden()
})

test('without any right there are neither figures nor quick actions', async ({ page }) => {
  await signIn(page, guest, undefined, '/home')
  await expect(page.getByText('No activity yet')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Account figures' })).toHaveCount(0)
  await expect(page.getByRole('navigation', { name: 'Quick actions' }).getByRole('link')).toHaveCount(0)
})

test('the end of a job is notified once, in every tab of the account', async ({ page, context }) => {
  await signIn(page, prepared.person, undefined, '/dashboards')
  await expect(page.getByText('No dashboard is shared with you yet')).toBeVisible()
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await expect(bell).toHaveAccessibleName('Notifications')
  await bell.click()
  const list = page.getByRole('dialog', { name: 'Notifications' })
  await expect(list.getByRole('link')).toHaveCount(3)
  await page.keyboard.press('Escape')

  const api = await apiOf(prepared.person, prepared.account)
  const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  await api.importFile('Autumn leads', csvFile(contacts(3)), keys)
  await api.makeExport('Autumn list', ['Email'])
  await page.reload()
  await expect(bell).toHaveAccessibleName('Notifications, 2 new ones')
  const another = await context.newPage()
  await another.goto('/dashboards')
  const otherBell = another.getByRole('button', { name: /^Notifications/ })
  await expect(otherBell).toHaveAccessibleName('Notifications, 2 new ones')

  await bell.click()
  await list.getByRole('link', { name: /^Autumn leads/ }).click()
  await expect(page).toHaveURL(addressIn(prepared.account, '/contact-service/imports?name=Autumn+leads'))
  await expect(bell).toHaveAccessibleName('Notifications, 1 new one')
  await expect(otherBell).toHaveAccessibleName('Notifications, 1 new one')
  await bell.click()
  await list.getByRole('button', { name: 'Mark all as read' }).click()
  await page.reload()
  await expect(bell).toHaveAccessibleName('Notifications')
})

test('the home page loads less than 200 kB of compressed scripts and styles', async ({ page, browser }) => {
  await signIn(page, prepared.person, undefined, '/home')
  await expect(page.getByRole('link', { name: 'Spring leads' })).toBeVisible()
  await expectSmall(await firstLoad(page, browser, '/home'))
})

test('the figures of the favorite dashboard appear after the first paint, without layout shift', async ({ page }) => {
  const fan = await makePerson('Favourite fan', { accounts: [prepared.account] })
  const api = await apiOf(fan, prepared.account)
  const kpi = (title: string, template: string) => ({
    cols: 4,
    chart: {
      type: 'KPI',
      title,
      filter: { standard: [] },
      ...(template.startsWith('ratio') && { filter2: { standard: [] } }),
      options: { template, colors: ['#3560c4'] },
    },
  })
  const layout = [[kpi('Plants', 'kpi-1'), kpi('Share', 'ratio-with-master-date-range')]]
  const { _id: id } = await api.post<Dashboard>('/contact-service/v1/dashboards', {
    name: 'Greenhouse',
    tags: ['goal'],
    sharedWith: { paids: 'all', aids: [prepared.account.id], users: [fan.email] },
    definition: JSON.stringify({ layout }),
  })
  await signIn(page, fan, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Add to favourites' }).click()
  // Leaving at once would abort the call.
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await expect(page.getByRole('menuitem', { name: 'Remove from favourites' })).toBeVisible()
  const tiles = page.getByRole('region', { name: 'Greenhouse' })
  // The account's name arrives after the first paint.
  await page.route('**/api/identity/v1/accounts', async (route) => {
    await page.getByRole('banner').waitFor()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    await route.continue()
  })
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/home')
    await expect(tiles.getByTitle('60')).toBeVisible()
    await expect(tiles.getByText('100%')).toBeVisible()
    expect(await movesOf(page), `at ${width}`).toEqual([])
  }
  expect(await isAfterFirstPaint(page, /favourite-tiles/)).toBe(true)
  await expectPresentable(page)
  await tiles.getByRole('link', { name: 'Greenhouse' }).click()
  await expect(page.getByRole('combobox', { name: 'Dashboard' })).toHaveValue('Greenhouse')
})

test('home, dashboards and notifications are accessible', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, prepared.person, undefined, '/home')
  await expect(page.getByRole('link', { name: 'Spring leads' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(page.getByRole('dialog', { name: 'Notifications' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessibleInBothSchemes(page)
  await expectNoSideScroll(page)
  await page.goto('/dashboards')
  await expect(page.getByText('No dashboard is shared with you yet')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})
