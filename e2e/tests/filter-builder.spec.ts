import type { Offer } from '@portico/contract/contacts'
import type { Import } from '@portico/contract/imports'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { recordEvents } from '../database.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

const header = 'Name,City,Joined,Score,Latitude,Longitude'
const rows = [
  'Ada,Denver,2026-01-31,10,39.7392,-104.9903',
  'Bruno,Denver,2026-02-01,20,39.7400,-104.9800',
  'Carmen,Boulder,2026-02-02,30,40.0150,-105.2705',
  'Dmitri,Lisbon,2026-02-03,40,38.7223,-9.1393',
]

let account: Account
let wanda: Person
const admin: Person = { email: 'admin@example.com', password: 'a password for tests only' }

test.beforeAll(async () => {
  account = await makeAccount('Basalt Books')
  wanda = await makePerson('Wanda', { accounts: [account] })
  const api = await apiOf(wanda, account)
  const file = [header, ...rows].join('\n')
  const { databaseName }: Import = await api.importFile('Readers', file, {
    latitudeColumn: 'Latitude',
    longitudeColumn: 'Longitude',
  })
  const contacts = await api.get<Offer[]>('/contact-service/v1/offers')
  const ada = contacts.find(({ Name: name }) => name === 'Ada')?._id ?? ''
  await recordEvents(databaseName, ada, [{ code: 'book-bought', date: '2026-03-01T10:00:00Z', browser: 'Firefox' }])
})

/** Opens Search & Analyze with its filters. */
async function openBuilder(page: Page, person = wanda): Promise<Locator> {
  await signIn(page, person, person === admin ? account : undefined, '/contact-service/documents')
  await page.getByRole('button', { name: /^FILTERS/ }).click()
  const builder = page.getByRole('region', { name: 'Filter builder' })
  await expect(builder.getByRole('tab')).not.toHaveCount(0)
  return builder
}

const select = (builder: Locator, name: string): Locator => builder.getByRole('combobox', { name, exact: true })
const apply = (builder: Locator): Promise<void> => builder.getByRole('button', { name: 'Apply', exact: true }).click()

test('by keyboard alone: an index is created, and a condition is counted, put into words, applied and removed', async ({
  page,
}) => {
  const builder = await openBuilder(page)
  await builder.getByRole('button', { name: 'Add condition' }).press('Enter')
  await expect(select(builder, 'Field of condition 1')).toBeFocused()
  await page.keyboard.type('City')
  await page.getByRole('option', { name: 'City', exact: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const value = builder.getByRole('textbox', { name: 'Value of condition 1' })
  await value.fill('Denver')
  await expect(builder.getByText('Contacts whose City is “Denver”.')).toBeVisible()
  // The index of a small account is created without asking.
  await expect(builder.getByRole('button', { name: 'Create the index' })).toHaveCount(0)
  // The count of the row and the one of the filter.
  await expect(builder.getByText('2 contacts', { exact: true })).toHaveCount(2)
  await expect(builder.getByText('Not applied')).toBeVisible()
  await value.press('Enter')
  await expect(page.getByText('2 contacts found')).toBeVisible()
  await expect(builder.getByText('Not applied')).toBeHidden()

  await builder.getByRole('button', { name: 'Remove condition 1' }).press('Enter')
  await dialogOf(page, 'Filter').getByText('Are you sure?').waitFor()
  await dialogOf(page, 'Filter').getByRole('button', { name: 'Yes' }).press('Enter')
  await expect(builder.getByRole('button', { name: 'Add condition' })).toBeFocused()
  await builder.getByRole('button', { name: 'Reset' }).press('Enter')
  await dialogOf(page, 'Filter').getByText('Are you sure to remove all filters?').waitFor()
  await dialogOf(page, 'Filter').getByRole('button', { name: 'Yes' }).press('Enter')
  await builder.getByRole('button', { name: 'Apply', exact: true }).press('Enter')
  await expect(page.getByText('4 contacts', { exact: true }).first()).toBeVisible()
})

test('events, a location found by address, full text and groups', async ({ page }) => {
  const builder = await openBuilder(page)
  await builder.getByRole('tab', { name: 'Behavioral' }).click()
  await builder.getByRole('button', { name: 'Add event' }).click()
  await choose(page, select(builder, 'Field of condition 1 of event 1'), 'event_code')
  // Offers the values of the account's events.
  await choose(page, select(builder, 'Value of condition 1 of event 1'), 'book-bought')
  await expect(builder.getByText('Contacts with an event whose event_code is “book-bought”.')).toBeVisible()
  await expect(builder.getByText('1 contact', { exact: true })).toHaveCount(2)
  await builder.getByRole('button', { name: 'Remove event 1' }).click()
  await dialogOf(page, 'Filter').getByRole('button', { name: 'Yes' }).click()

  await builder.getByRole('tab', { name: 'By Location' }).click()
  await builder.getByRole('textbox', { name: 'Distance in miles' }).fill('15')
  await builder.getByRole('button', { name: 'Find an address' }).click()
  const address = dialogOf(page, 'Address')
  await address.getByRole('button', { name: 'Save' }).click()
  await expect(address.getByText('Value is required!')).toHaveCount(2)
  await address.getByRole('textbox', { name: 'Address 1' }).fill('200 E Colfax Ave')
  await address.getByRole('textbox', { name: 'City' }).fill('Denver')
  await address.getByRole('textbox', { name: 'Country' }).fill('US')
  await address.getByRole('button', { name: 'Save' }).click()
  await expect(builder.getByText(/^Found: .*Denver/)).toBeVisible()
  await expect(builder.getByRole('textbox', { name: 'Latitude' })).toHaveValue(/^39\.\d+$/)
  await expect(builder.getByText('2 contacts', { exact: true })).toBeVisible()

  await builder.getByRole('tab', { name: 'Full Text' }).click()
  await builder.getByRole('textbox', { name: 'Words' }).fill('brun')
  await expect(builder.getByText('1 contact', { exact: true })).toBeVisible()
  await builder.getByRole('textbox', { name: 'Words' }).fill('')

  await builder.getByRole('tab', { name: 'Groupby' }).click()
  await choose(page, select(builder, 'Group by'), 'Joined')
  await expect(select(builder, 'Group by: part of the date')).toHaveValue('Month')
  await choose(page, select(builder, 'Operator'), 'sum')
  await apply(builder)
  await expect(builder.getByText('Value is required!')).toBeVisible()
  await choose(page, select(builder, 'Column'), 'Score')
  await apply(builder)
  await expect(page.getByRole('columnheader', { name: 'sum of Score' })).toBeVisible()
  await expect(page.getByRole('row', { name: /^Feb 20\d\d/ })).toContainText('20')
})

test('a power admin saves, changes and deletes a predefined filter, and sees the filter as text', async ({ page }) => {
  const builder = await openBuilder(page, admin)
  await builder.getByRole('tab', { name: 'Full Text' }).click()
  await builder.getByRole('textbox', { name: 'Words' }).fill('lisbon')
  await builder.getByRole('button', { name: 'Show Filter' }).click()
  await expect(builder.getByRole('region', { name: 'Filter as text' })).toContainText('"$search": "lisbon"')
  await builder.getByRole('button', { name: "Filter's Result" }).click()
  await expect(builder.getByRole('region', { name: "Filter's result" })).toContainText('"Name": "Dmitri"')
  await builder.getByRole('button', { name: 'Hide Filter' }).click()

  await builder.getByRole('tab', { name: 'Predefined' }).click()
  await builder.getByRole('button', { name: 'Add', exact: true }).click()
  const add = dialogOf(page, 'Add a predefined filter')
  await add.getByRole('textbox', { name: 'Name' }).fill('From Lisbon')
  await add.getByRole('button', { name: 'SAVE' }).click()
  await expect(snackbar(page, "'From Lisbon' was saved.")).toBeVisible()
  await expect(builder.getByText('Contacts of the saved filter “From Lisbon”.')).toBeVisible()
  await expect(builder.getByText('1 contact', { exact: true })).toBeVisible()

  await builder.getByRole('button', { name: 'Edit', exact: true }).click()
  const edit = dialogOf(page, 'Edit the predefined filter')
  // A dialog takes the focus when it opens, even if the user is typing elsewhere.
  await expect(edit.getByRole('textbox', { name: 'Name' })).toBeFocused()
  const text = edit.getByRole('textbox', { name: 'Filter' })
  await text.fill('{}')
  await expect(edit.getByText('Should be an array')).toBeVisible()
  await text.fill('[{"$match": {"$or": [{"City": "Lisbon"}, {"City": "Boulder"}]}}]')
  await edit.getByRole('button', { name: 'UPDATE' }).click()
  await expect(builder.getByText('2 contacts', { exact: true })).toBeVisible()
  await apply(builder)
  await expect(page.getByText('2 contacts found')).toBeVisible()

  // Rows cannot express it, so the tabs leave it unchanged.
  await builder.getByRole('button', { name: 'Copy to the tabs' }).click()
  await expect(builder.getByRole('alert')).toContainText('Unknown Operator: "$or"')
  await builder.getByRole('button', { name: 'Reset' }).click()
  await dialogOf(page, 'Filter').getByRole('button', { name: 'Yes' }).click()

  await builder.getByRole('tab', { name: 'Predefined' }).click()
  await choose(page, select(builder, 'Predefined filter'), 'From Lisbon')
  await builder.getByRole('button', { name: 'Delete', exact: true }).click()
  const remove = dialogOf(page, 'Delete the predefined filter')
  await remove.getByRole('textbox', { name: 'Name' }).fill('From')
  await expect(remove.getByText("Name doesn't match!")).toBeVisible()
  await remove.getByRole('button', { name: 'DELETE' }).click()
  await expect(remove.getByText("Names didn't match! Please try again.")).toBeVisible()
  await remove.getByRole('textbox', { name: 'Name' }).fill('From Lisbon')
  await remove.getByRole('button', { name: 'DELETE' }).click()
  await expect(snackbar(page, "'From Lisbon' was deleted.")).toBeVisible()
})

const looks = [
  { name: 'wide and light', width: 1440, scheme: 'light' },
  { name: 'narrow and dark', width: 390, scheme: 'dark' },
] as const

for (const { name, width, scheme } of looks) {
  test(`every tab is accessible and fits the window, ${name}`, async ({ page }) => {
    // Checks seven tabs one after the other.
    test.slow()
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme: scheme })
    const builder = await openBuilder(page)
    await builder.getByRole('button', { name: 'Add condition' }).click()
    await page.keyboard.press('Escape')
    await builder.getByRole('tab', { name: 'Behavioral' }).click()
    await builder.getByRole('button', { name: 'Add event' }).click()
    await page.keyboard.press('Escape')
    await builder.getByRole('button', { name: 'Add custom field' }).click()
    await builder.getByRole('tab', { name: 'By Location' }).click()
    await builder.getByRole('textbox', { name: 'Distance in miles' }).fill('5')
    for (const tab of await builder.getByRole('tab').all()) {
      await tab.click()
      await expectAccessible(page)
      const tooWide = await builder.evaluate((element) => element.scrollWidth - element.clientWidth)
      expect(tooWide, await tab.innerText()).toBe(0)
    }
  })
}
