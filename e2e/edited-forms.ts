import type { Locator, Page } from '@playwright/test'
import { accessOf } from './access.ts'
import { apiOf, type Client } from './api.ts'
import { contacts, csvFile } from './contact-file.ts'
import { powerAdmin } from './iam-area.ts'
import { type Account, makeAccount, makePerson, makePowerAdmin, type Person } from './portal.ts'
import { dialogOf } from './screens.ts'

// The forms of the portal that edit an item, each with the way to it and one of its fields.

/** The people: one has a form open, the other saves in between through the API. */
type Pair = { one: Person; other: Person; api: Client }

export type EditedForm = {
  by: Pair
  place: string
  /** Moves to the button that opens the form; null for a form that is a screen itself. */
  opener: ((page: Page) => Promise<Locator>) | null
  /** Title of the dialog; without one the form is in the page. */
  title?: string | RegExp
  field: (form: Locator) => Locator
  /** The field's label in the notice of a save. */
  label: string
  /** Path of the edited item. */
  path: string
  /** The call that saves it. */
  call: string
  value: (name: string) => string
  save: (name: string) => Promise<unknown>
  /** Reads the field's value from the item. */
  read: () => Promise<unknown>
  submit: string
  saved: string | RegExp
}

export type EditedItems = {
  account: Account
  admins: Pair
  users: Pair
  self: Pair
  /** Names begin with it; no other test uses it. */
  prefix: string
  /** Groups that every identity may have. */
  powerUsers: string
  ids: Record<'policy' | 'group' | 'account' | 'identity' | 'access' | 'filter' | 'field' | 'cron', string | number>
}

const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

const bodies = {
  access: (name: string) => ({
    type: 'domain',
    domainOrIp: `${name}.medlar.example.com`,
    filter: '{"Email":"{{Email}}"}',
    publicColumns: '"First Name"',
  }),
  filter: (name: string) => ({ name, aggregateQuery: '[]' }),
  cron: (name: string) => ({
    consumerCode: 'EXPORT',
    name: 'Medlar cron',
    notificationEmails: `${name}@medlar.example.com`,
    cron: '30 9 * * *',
    cronTZ: 'UTC',
    cronStart: day,
    cronRepeat: 300,
    instruction: { name: 'Medlar leads', delimiter: 'csv', exportFields: ['Email'] },
  }),
}

const guest = 'guest@medlar.example.com'

/** Creates an account with one item of each kind, and the people who edit them. */
export async function makeEditedItems(): Promise<EditedItems> {
  const account = await makeAccount('Medlar Press')
  const prefix = `Medlar ${account.id}`
  const [olga, ann, ben] = [
    await makePowerAdmin('Olga Medlar'),
    await makePerson('Ann Medlar', { accounts: [account] }),
    await makePerson('Ben Medlar', { accounts: [account] }),
  ]
  const admins = { one: powerAdmin, other: olga, api: await apiOf(olga, account) }
  const users = { one: ann, other: ben, api: await apiOf(ben, account) }
  await users.api.importFile('Leads', csvFile(contacts(3)))
  await users.api.makeExport('All leads', ['Email'])
  const access = await accessOf(powerAdmin, account)
  const policy = await access.makePolicy(`${prefix} first`, ['bi::reports::get'])
  const group = await access.makeGroup(`${prefix} first`, [policy])
  const paper = await makeAccount(`${prefix} first`)
  const groups = await users.api.get<{ _id: string; name: string }[]>('/identity/v1/groups')
  const powerUsers = groups.find(({ name }) => name === 'Power users')?._id ?? ''
  const fields = await users.api.get<{ _id: string; name: string }[]>('/contact-service/v1/fields/details')
  const make = async (path: string, body: object): Promise<string> =>
    (await users.api.post<{ _id: string }>(path, body))._id
  const ids = {
    policy,
    group,
    account: paper.id,
    identity: await make('/identity/v1/identities', { email: guest, groups: [powerUsers] }),
    access: await make('/contact-service/v1/remoteAccess', bodies.access('first')),
    field: fields.find(({ name }) => name === 'City')?._id ?? '',
    filter: await make('/contact-service/v1/rdls', bodies.filter(`${prefix} first`)),
    cron: await make('/scheduler/v1/crons', bodies.cron('first')),
  }
  return {
    account,
    admins,
    users,
    self: { one: ann, other: ann, api: await apiOf(ann, account) },
    prefix,
    powerUsers,
    ids,
  }
}

const editButton = (name: string | RegExp) => (page: Page) => Promise.resolve(page.getByRole('button', { name }))

const textbox =
  (name: string) =>
  (form: Locator): Locator =>
    form.getByRole('textbox', { name, exact: true })

/** Most forms: an item that is read and saved under one path. */
function putForm<Item>(
  by: Pair,
  path: string,
  {
    body,
    read,
    ...form
  }: Pick<EditedForm, 'place' | 'opener' | 'field' | 'label' | 'value' | 'submit' | 'saved'> & {
    title?: string | RegExp
    body: (value: string) => object
    read: (item: Item) => unknown
  },
): EditedForm {
  return {
    ...form,
    by,
    path,
    call: `PUT /api${path}`,
    save: (name) => by.api.put(path, body(form.value(name))),
    read: async () => read(await by.api.get<Item>(path)),
  }
}

/** The forms by the item that they edit. */
export const editedForms: Record<string, (items: EditedItems) => EditedForm> = {
  policy: ({ admins, prefix, ids }) =>
    putForm(admins, `/identity/v1/policies/${ids.policy}`, {
      place: `/iam/policies?search=${prefix}`,
      opener: editButton(new RegExp(`^Edit ${prefix} `)),
      title: 'Edit Policy',
      field: textbox('Name'),
      label: 'Name',
      value: (name) => `${prefix} ${name}`,
      body: (name) => ({ name, actions: ['bi::reports::get'] }),
      read: ({ name }: { name: string }) => name,
      submit: 'Save',
      saved: /was updated\.$/,
    }),
  group: ({ admins, prefix, ids }) =>
    putForm(admins, `/identity/v1/groups/${ids.group}`, {
      place: `/iam/groups?search=${prefix}`,
      opener: editButton(new RegExp(`^Edit ${prefix} `)),
      title: 'Edit Group',
      field: textbox('Name'),
      label: 'Name',
      value: (name) => `${prefix} ${name}`,
      body: (name) => ({ name, policies: [ids.policy] }),
      read: ({ name }: { name: string }) => name,
      submit: 'Save',
      saved: /was updated\.$/,
    }),
  account: ({ admins, prefix, ids }) =>
    putForm(admins, `/identity/v1/accounts/${ids.account}`, {
      place: '/iam/accounts',
      opener: async (page) => {
        await page.getByRole('textbox', { name: 'Search accounts' }).fill(prefix)
        await page.keyboard.press('Enter')
        return page.getByRole('button', { name: new RegExp(`^Edit ${prefix} `) })
      },
      title: new RegExp(`^Edit ${prefix} `),
      field: textbox('Name'),
      label: 'Name',
      value: (name) => `${prefix} ${name}`,
      body: (name) => ({ name }),
      read: ({ Value }: { Value: string }) => Value,
      submit: 'Save',
      saved: /was updated\.$/,
    }),
  identity: ({ users, powerUsers, ids }) =>
    putForm(users, `/identity/v1/identities/${ids.identity}`, {
      place: '/iam/identities',
      opener: editButton(`Edit ${guest}`),
      title: 'Edit Identity',
      field: textbox('User Name'),
      label: 'User Name',
      value: (name) => name,
      body: (userName) => ({ email: guest, groups: [powerUsers], userName }),
      read: ({ userName }: { userName: string }) => userName,
      submit: 'Save',
      saved: /was updated\.$/,
    }),
  'remote access': ({ users, ids }) =>
    putForm(users, `/contact-service/v1/remoteAccess/${ids.access}`, {
      place: '/contact-service/access',
      opener: editButton(/^Edit .*medlar\.example\.com/),
      title: 'Edit Access',
      field: textbox('Domain'),
      label: 'Domain or IP Address',
      value: (name) => `${name}.medlar.example.com`,
      body: (domain) => bodies.access(domain.replace('.medlar.example.com', '')),
      read: ({ domainOrIp }: { domainOrIp: string }) => domainOrIp,
      submit: 'Save',
      saved: /was updated\.$/,
    }),
  'saved filter': ({ users, prefix, ids }) =>
    putForm(users, `/contact-service/v1/rdls/${ids.filter}`, {
      place: '/contact-service/documents',
      opener: async (page) => {
        await page.getByRole('button', { name: /^FILTERS/ }).click()
        await page.getByRole('tab', { name: 'Predefined' }).click()
        await page.getByRole('combobox', { name: 'Predefined filter' }).click()
        await page.getByRole('option', { name: new RegExp(`^${prefix} `) }).click()
        return page.getByRole('button', { name: 'Edit', exact: true })
      },
      title: 'Edit the predefined filter',
      field: textbox('Name'),
      label: 'Name',
      value: (name) => `${prefix} ${name}`,
      body: bodies.filter,
      read: ({ name }: { name: string }) => name,
      submit: 'UPDATE',
      saved: /was saved\.$/,
    }),
  field: ({ users, ids }) => {
    const all = () => users.api.get<{ _id: string; name: string }[]>('/contact-service/v1/fields/details')
    const path = `/contact-service/v1/fields/${ids.field}`
    const form = putForm(users, path, {
      place: '/contact-service/fields',
      opener: editButton('Edit City'),
      title: /^Edit /,
      field: textbox('Name'),
      label: 'Name',
      value: (name) => `Medlar ${name}`,
      body: (name) => ({ name }),
      read: () => null,
      submit: 'Save',
      saved: /is now/,
    })
    return { ...form, read: async () => (await all()).find(({ _id }) => _id === ids.field)?.name }
  },
  cron: ({ users, ids }) =>
    putForm(users, `/scheduler/v1/crons/${ids.cron}`, {
      place: '/contact-service/exports',
      opener: async (page) => {
        await page.getByRole('button', { name: 'Manage Schedules' }).click()
        const dialog = dialogOf(page, 'Manage Schedules')
        await dialog.getByRole('tab', { name: 'Crons' }).click()
        return dialog.getByRole('button', { name: 'Edit Medlar cron' })
      },
      title: 'Medlar cron',
      field: textbox('Emails'),
      label: 'Emails',
      value: (name) => `${name}@medlar.example.com`,
      body: (email) => bodies.cron(email.replace('@medlar.example.com', '')),
      read: ({ notificationEmails }: { notificationEmails: string }) => notificationEmails,
      submit: 'Submit',
      saved: 'Medlar cron changes were saved.',
    }),
  'import defaults': ({ users }) =>
    putForm(users, '/contact-service/v1/configuration', {
      place: '/iam/list-service-configuration',
      opener: null,
      field: (form) => form.getByRole('combobox', { name: 'PURL column 1' }),
      label: 'PURL Columns',
      value: (name) => name,
      body: (name) => ({ purlColumns: [name], dedupColumns: [], notificationEmails: [] }),
      read: ({ purlColumns }: { purlColumns: string[] }) => purlColumns[0],
      submit: 'Save',
      saved: 'The configuration was updated.',
    }),
  profile: ({ self }) =>
    putForm(self, '/identity/v1/profile', {
      place: '/module/user-profile',
      opener: null,
      field: textbox('Name'),
      label: 'Name',
      value: (name) => `Ann ${name}`,
      body: (userName) => ({ userName }),
      read: ({ userName }: { userName: string }) => userName,
      submit: 'Save',
      saved: 'Your name was saved.',
    }),
  preferences: ({ users, account }) => {
    const { api } = users
    const value = (name: string): string => `${name}@medlar.example.com`
    const path = '/account/v1/AccountPreference'
    return {
      by: users,
      path,
      call: 'POST /api/account/v1/SetAccountPreference',
      place: '/iam/preferences',
      opener: null,
      field: textbox('E-mails for CRM'),
      label: 'Menus',
      value,
      save: (name) => {
        const preference = { menus: { home: [], contactservice: [], crm: [value(name)] }, timeout: 60 }
        const body = { AccountID: account.id, IdentityToken: api.token, Preference: JSON.stringify(preference) }
        return api.post('/account/v1/SetAccountPreference', body)
      },
      read: async () => (await api.get<{ menus: { crm: string[] } }>(path)).menus.crm[0],
      submit: 'Save',
      saved: 'Preferences were updated.',
    }
  },
}
