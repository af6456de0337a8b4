import type { Offer } from '@portico/contract/contacts'
import type { Locator } from '@playwright/test'
import { accessOf } from '../access.ts'
import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { byCity, cellOf, chooseBar, citiesAndMembers, colors, makeDashboard, members } from '../dashboards.ts'
import { recordEvents } from '../database.ts'
import { powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

let account: Account
let wanda: Person
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Copper Canyon')
  wanda = await makePerson('Walter', { accounts: [account] })
  api = await apiOf(wanda, account)
  const { databaseName } = await api.importFile('Members', members, { typeCasting: true })
  const [bruno] = await api.get<Offer[]>(
    `/contact-service/v1/offers?find=${JSON.stringify([{ $match: { Name: 'Bruno' } }])}`,
  )
  await recordEvents(databaseName, bruno?._id ?? '', [
    { code: 'page_view', date: '2026-03-01T10:00:00Z', browser: 'Firefox' },
  ])
})

test('a dashboard is built: a chart and a figure are configured, arranged, saved and cloned', async ({ page }) => {
  await signIn(page, wanda, undefined, '/contact-service/dashboards')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const dialog = dialogOf(page, 'New Dashboard')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText('Value is required!')).toHaveCount(2)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Membership')
  await dialog.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'channel' }).click()
  await page.keyboard.press('Tab')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(snackbar(page, "'Membership' was successfully created.")).toBeVisible()

  await page.getByRole('button', { name: 'Choose what it shows' }).click()
  const adding = dialogOf(page, 'Add a Cell')
  await adding.getByRole('button', { name: 'Column chart', exact: true }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('textbox', { name: 'Title' }).fill('By city')
  await configuration.getByRole('button', { name: 'Save' }).click()
  await expect(configuration.getByText('Filter should have GroupBy!').first()).toBeVisible()
  await configuration.getByRole('button', { name: 'Edit filter' }).click()
  const builder = page.getByRole('region', { name: 'Filter builder' })
  await builder.getByRole('tab', { name: 'Groupby' }).click()
  await choose(page, builder.getByRole('combobox', { name: 'Group by', exact: true }), 'City')
  await choose(page, builder.getByRole('combobox', { name: 'Operator', exact: true }), 'count')
  await builder.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(configuration.getByLabel('By city: chart of 3 groups')).toBeVisible()
  await expectAccessible(page)
  await configuration.getByRole('button', { name: 'Save' }).click()

  await page.getByRole('button', { name: 'Add a cell after By city' }).click()
  await adding.getByRole('button', { name: 'KPI', exact: true }).click()
  await configuration.getByRole('textbox', { name: 'Title' }).fill('All members')
  await configuration.getByRole('button', { name: 'Save' }).click()
  const tile = cellOf(page, 'Edit All members')
  await expect(tile.getByText('4', { exact: true })).toBeVisible()
  await tile.getByRole('button', { name: 'Move left: All members' }).click()
  await expect(page.getByRole('region', { name: /^Edit / }).first()).toHaveAccessibleName('Edit All members')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('region', { name: /^Edit / }).first()).toHaveAccessibleName('Edit By city')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Membership' was successfully saved.")).toBeVisible()
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await expect(cellOf(page, 'All members').getByText('4', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Clone' }).click()
  const clone = dialogOf(page, 'Clone Dashboard')
  await clone.getByRole('textbox', { name: 'Name' }).fill('membership')
  await clone.getByRole('button', { name: 'Clone' }).click()
  await expect(clone.getByText('The new name cannot be the same as the current name!')).toBeVisible()
  await clone.getByRole('textbox', { name: 'Name' }).fill('Second')
  await clone.getByRole('button', { name: 'Clone' }).click()
  await expect(page.getByRole('combobox', { name: 'Dashboard' })).toHaveValue('Second')

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const deleting = dialogOf(page, 'Delete Dashboard')
  await expect(deleting.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await deleting.getByRole('textbox', { name: 'Name' }).fill('SECOND')
  await deleting.getByRole('button', { name: 'Delete' }).click()
  await expect(snackbar(page, "'Second' was successfully deleted.")).toBeVisible()
})

test('a bar filters the other cells, is kept in the address, and resets', async ({ page }) => {
  const { _id: id } = await makeDashboard(api, account, 'Cross filter')
  await signIn(page, wanda, undefined, `/contact-service/dashboards?dashboard=${id}`)
  const members = cellOf(page, 'Members')
  await expect(members.getByText('4', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await chooseBar(page, 1)
  await expect(members.getByText('2', { exact: true })).toBeVisible()
  const filters = page.getByRole('region', { name: 'Active filters' })
  await expect(filters).toContainText('Cities: Denver')
  await page.reload()
  await expect(members.getByText('2', { exact: true })).toBeVisible()
  await cellOf(page, 'Cities').getByRole('button', { name: 'Show as table' }).click()
  await expect(cellOf(page, 'Cities').getByRole('row', { name: /Denver/ })).toContainText('2')
  await filters.getByRole('button', { name: 'Reset' }).click()
  await expect(members.getByText('4', { exact: true })).toBeVisible()
  await cellOf(page, 'Members').getByRole('button', { name: 'Menu of Members' }).click()
  await page.getByRole('menuitem', { name: 'Open contacts' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Search & Analyze' })).toBeVisible()
})

/** Width of a landscape page without its margins, in CSS pixels. */
const a4Width = ((297 - 2 * 10) / 25.4) * 96

test('rows open their events; cells are printed, maximized and dragged', async ({ page }) => {
  const filter = { standard: byCity.standard.slice(0, 1), sort: { City: 1 } }
  const table = { id: 'table', cols: 6, chart: { type: 'Table', title: 'City list', filter, options: { colors } } }
  const people = { standard: [], columns: ['Name', 'City'], sort: { Name: 1 } }
  const paged = {
    id: 'people',
    cols: 6,
    chart: { type: 'PaginaTable', title: 'People', filter: people, options: { colors } },
  }
  const { _id: id } = await makeDashboard(api, account, 'Behind', [citiesAndMembers, [table, paged]])
  await signIn(page, wanda, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await cellOf(page, 'City list').getByRole('button', { name: 'Denver' }).click()
  const events = dialogOf(page, 'Events')
  await expect(events).toContainText('City list · City: Denver')
  await expect(events.getByRole('row', { name: /Bruno/ })).toContainText('page_view')
  await expect(events).toContainText('1 event')
  await expectAccessible(page)
  await events.getByRole('button', { name: 'Filter the dashboard' }).click()
  await expect(cellOf(page, 'Members').getByText('2', { exact: true })).toBeVisible()
  await expect(cellOf(page, 'People').getByRole('row')).toHaveCount(3)
  await page.getByRole('button', { name: 'Reset' }).click()
  await cellOf(page, 'People').getByRole('button', { name: 'Bruno' }).click()
  await expect(events).toContainText('1 event')
  await events.getByRole('button', { name: 'Close', exact: true }).last().click()

  await cellOf(page, 'City list').getByRole('button', { name: 'Menu of City list' }).click()
  await page.getByRole('menuitem', { name: 'Export' }).click()
  const exporting = dialogOf(page, 'Export These Results')
  await exporting.getByRole('textbox', { name: 'Export Name' }).fill('Cities of members')
  await exporting.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Cities of members' was submitted.")).toBeVisible()

  await page.evaluate(() => {
    window.print = () => document.body.setAttribute('data-printed', document.body.innerText)
  })
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Print' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-printed', /Behind[\s\S]*Copper Canyon[\s\S]*Dmitri/)
  // Chromium omits buttons from table headers that it repeats on the next page, and cuts off content wider than the
  // page.
  await expect(cellOf(page, 'People').getByRole('columnheader', { name: 'Name' })).toBeVisible()
  await expect(cellOf(page, 'People').getByRole('columnheader').getByRole('button')).toHaveCount(0)
  await page.emulateMedia({ media: 'print' })
  const { x = -1, width = 0 } = (await cellOf(page, 'People').boundingBox()) ?? {}
  expect(x + width).toBeLessThanOrEqual(a4Width)
  await page.emulateMedia({ media: null })
  await page.getByRole('button', { name: 'Back to the dashboard' }).click()

  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Full screen' }).click()
  await expect(page.getByRole('combobox', { name: 'Refresh' })).toHaveValue('5')
  await expect(page.getByText(/sign-out at \d\d:\d\d without activity/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Exit full screen' }).click()

  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  const edited = (name: string): Locator => page.getByRole('region', { name: `Edit ${name}`, exact: true })
  await expect(edited('People').getByRole('cell', { name: 'Dmitri' })).toBeVisible()
  const handle = await page.locator('[data-cell=people] [data-handle]').boundingBox()
  const target = await edited('Cities').boundingBox()
  await page.mouse.move((handle?.x ?? 0) + 5, (handle?.y ?? 0) + 5)
  await page.mouse.down()
  await page.mouse.move((target?.x ?? 0) + 40, (target?.y ?? 0) + 40, { steps: 10 })
  await page.mouse.up()
  await expect(page.getByRole('region', { name: /^Edit / }).first()).toHaveAccessibleName('Edit People')
})

test('calculated columns are edited in their own dialog', async ({ page }) => {
  const calculatedColumns = [{ name: 'Twice', expression: '{{count}} * 2', fix: 'none', position: 'e' }]
  const chart = { type: 'CalculatedTable', title: 'Sums', filter: byCity, calculatedColumns }
  const { _id: id } = await makeDashboard(api, account, 'Calculated', [[{ id: 'sums', cols: 12, chart }]])
  await signIn(page, wanda, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: 'Configure Sums' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit calculated columns' }).click()
  const dialog = dialogOf(page, 'Calculated Columns')
  await dialog.getByRole('button', { name: 'Add calculated column' }).click()
  const second = dialog.getByRole('group', { name: 'Column 2' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(second.getByText('Value is required!')).toHaveCount(2)
  await second.getByRole('textbox', { name: 'Name' }).fill('twice')
  const more = dialog.getByRole('group', { name: 'twice', exact: true })
  await more.getByRole('textbox', { name: 'Expression' }).fill('1 + 2')
  await expect(more.getByText('Value is duplicate!')).toBeVisible()
  await expect(more.getByText('Value is invalid!')).toBeVisible()
  await more.getByRole('textbox', { name: 'Name' }).fill('More')
  const last = dialog.getByRole('group', { name: 'More', exact: true })
  await last.getByRole('textbox', { name: 'Expression' }).fill('10 + ')
  await last.getByRole('button', { name: 'Insert Twice' }).click()
  await expect(dialog.getByRole('columnheader', { name: 'More' })).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^Denver 2 4 14$/ })).toBeVisible()
  await dialog.getByRole('button', { name: 'Remove Twice' }).click()
  await expect(page.getByText('Are you sure?')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Are you sure?')).toBeHidden()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(configuration.getByText('Twice, More')).toBeVisible()
  await configuration.getByRole('button', { name: 'Save' }).click()
  await expect(cellOf(page, 'Edit Sums').getByRole('row', { name: /^Denver 2 4 14$/ })).toBeVisible()
})

test('a dashboard that cannot be loaded shows the error as JSON', async ({ page, trouble }) => {
  trouble.expect('404 GET /api/contact-service/v1/dashboards/99999999')
  await signIn(page, wanda, undefined, '/contact-service/dashboards?dashboard=99999999')
  await expect(page.getByRole('alert')).toContainText('"code": "not_found"')
})

test('leaving with unsaved changes asks for confirmation', async ({ page }) => {
  const { _id: id } = await makeDashboard(api, account, 'Unsaved')
  await signIn(page, wanda, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: 'Delete Members' }).click()
  await page.getByRole('link', { name: 'Imports' }).click()
  await expect(page.getByText('Do you really want to leave? you have unsaved changes!')).toBeVisible()
  await page.getByRole('button', { name: 'Stay' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.keyboard.press('Control+z')
  await expect(page.getByRole('region', { name: 'Edit Members' })).toBeVisible()
  await page.getByRole('link', { name: 'Imports' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
})

test('a user with only the right to view sees shared dashboards and cannot change them', async ({ page }) => {
  const { _id: id } = await makeDashboard(api, account, 'Shared')
  const viewer = await makePerson('Vivian', { accounts: [account], mayNothing: true })
  const access = await accessOf(powerAdmin, account)
  const policy = await access.makePolicy('Views dashboards', ['bi::dashboards::get'])
  const group = await access.makeGroup('Viewers', [policy])
  await (await accessOf(wanda, account)).changeGroups(viewer.email, [group])
  await signIn(page, viewer, undefined, `/dashboards?dashboard=${id}`)
  await expect(cellOf(page, 'Members').getByText('4', { exact: true })).toBeVisible()
  await chooseBar(page, 1)
  await expect(cellOf(page, 'Members').getByText('2', { exact: true })).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Edit' })).toBeHidden()
  await cellOf(page, 'Members').getByRole('button', { name: 'Menu of Members' }).click()
  await expect(page.getByRole('menuitem', { name: 'Refresh' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Open contacts' })).toBeHidden()
})
