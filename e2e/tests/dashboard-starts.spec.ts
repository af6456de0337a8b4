import type { Locator, Page } from '@playwright/test'
import { apiOf } from '../api.ts'
import { recordEvents } from '../database.ts'
import { expectPresentable } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, snackbar } from '../screens.ts'

const file = `Name,City,Country,Segment,Member,Amount
Ada,Zurich,Switzerland,Regular,true,10
Bruno,Zurich,Switzerland,VIP,true,20
Carmen,Lisbon,Portugal,Regular,false,30
Dmitri,Lisbon,Portugal,Regular,true,40
`

let account: Account
let empty: Account
let anna: Person

test.beforeAll(async () => {
  account = await makeAccount('Alder Wines')
  empty = await makeAccount('Birch Books')
  anna = await makePerson('Annabel', { accounts: [account, empty] })
  const api = await apiOf(anna, account)
  const { databaseName } = await api.importFile('Guests', file)
  const [first] = await api.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1')
  await recordEvents(databaseName, first?._id ?? '', [
    { code: 'visit', date: '2026-03-01T10:00:00Z', path: '/wines', browser: 'Firefox' },
    { code: 'click', date: '2026-03-01T10:05:00Z', path: '/cellar', browser: 'Firefox' },
  ])
})

const place = '/contact-service/dashboards'
const cell = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

async function openNew(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  return dialogOf(page, 'New Dashboard')
}

test('a dashboard is created from a template that shows the data of the account', async ({ page }) => {
  await signIn(page, anna, account, place)
  const dialog = await openNew(page)
  const templates = dialog.getByRole('group', { name: 'Start with' })
  await expect(templates.getByRole('radio')).toHaveCount(5)
  await expect(templates.getByRole('radio', { name: 'Places' })).toBeEnabled()
  await expectPresentable(page)
  await templates.getByRole('radio', { name: 'Empty dashboard' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(templates.getByRole('radio', { name: 'Audience overview' })).toBeChecked()
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Audience overview')
  await dialog.getByRole('button', { name: 'Create' }).press('Enter')
  await expect(snackbar(page, "'Audience overview' was successfully created.")).toBeVisible()

  await expect(page.getByRole('switch', { name: 'Edit' })).not.toBeChecked()
  await page.reload()
  await expect(cell(page, 'Contacts').first().getByText('4', { exact: true })).toBeVisible()
  await expect(cell(page, 'Total Amount').getByText('100', { exact: true })).toBeVisible()
  await expect(cell(page, 'Contacts by Segment').getByRole('application', { name: /chart of 2 groups/ })).toBeVisible()
  await expect(cell(page, 'Share of Member').getByText('75%')).toBeVisible()
  await expectPresentable(page)
})

test('a dashboard is built from suggestions and a kind of cell, by keyboard', async ({ page }) => {
  await signIn(page, anna, account, place)
  const dialog = await openNew(page)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Quick look')
  await dialog.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'goal' }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(snackbar(page, "'Quick look' was successfully created.")).toBeVisible()

  await page.getByRole('button', { name: 'Choose what it shows' }).press('Enter')
  const choice = dialogOf(page, 'Add a Cell')
  const suggestions = choice.getByRole('region', { name: 'Suggestions' })
  await expect(suggestions.getByRole('button', { name: 'Events by month' })).toBeVisible()
  await expect(choice.getByRole('region', { name: 'Kinds' }).getByRole('button')).toHaveCount(16)
  await expectPresentable(page)
  await suggestions.getByRole('button', { name: 'Contacts by City' }).press('Enter')
  await expect(choice).toBeHidden()
  await expect(
    cell(page, 'Edit Contacts by City').getByRole('application', { name: /chart of 2 groups/ }),
  ).toBeVisible()

  await expect(page.getByRole('button', { name: 'Configure Contacts by City' })).toBeFocused()
  const add = page.getByRole('button', { name: 'Add a cell after Contacts by City' })
  await add.press('Enter')
  await expect(suggestions.getByRole('button', { name: 'Most visited pages' })).toBeVisible()
  await expect(suggestions.getByRole('button', { name: 'Contacts by City' })).toBeHidden()
  await suggestions.getByRole('button', { name: 'Most visited pages' }).press('Enter')
  await expect(add).toBeFocused()
  await add.press('Enter')
  await choice.getByRole('button', { name: 'KPI', exact: true }).press('Enter')
  const configuration = dialogOf(page, 'Chart Configuration')
  await expect(configuration.getByRole('combobox', { name: 'Type' })).toHaveValue('KPI')
  await expect(configuration.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await configuration.getByRole('textbox', { name: 'Title' }).fill('Guests')
  await configuration.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(cell(page, 'Edit Guests').getByText('4', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Quick look' was successfully saved.")).toBeVisible()
  await page.reload()
  await expect(cell(page, 'Guests').getByText('4', { exact: true })).toBeVisible()
  await expect(cell(page, 'Contacts by City').getByRole('application', { name: /chart of 2 groups/ })).toBeVisible()
  await expect(cell(page, 'Most visited pages').getByRole('application', { name: /chart of 2 groups/ })).toBeVisible()
})

test('an account without contacts offers only an empty dashboard and kinds of cells', async ({ page }) => {
  await signIn(page, anna, empty, place)
  const dialog = await openNew(page)
  await expect(dialog.getByText('Import contacts first.')).toHaveCount(4)
  await expect(dialog.getByRole('radio', { name: 'Campaign results' })).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Nothing yet')
  await dialog.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'goal' }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Choose what it shows' }).click()
  const choice = dialogOf(page, 'Add a Cell')
  await expect(choice.getByRole('region', { name: 'Suggestions' })).toBeHidden()
  await expect(choice.getByRole('button', { name: 'Text' })).toBeVisible()
  await expectPresentable(page)
})
