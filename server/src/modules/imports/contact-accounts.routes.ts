import { type ContactAccount, contactAccountsApi } from '@portico/contract/contact-accounts'
import type { AccountId } from '@portico/contract/accounts'
import type { StoredImportDefaults } from '@portico/contract/imports'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import { serve } from '#platform/http/serving.ts'
import { getImportDefaults, setImportDefaults } from './import-defaults.service.ts'

export function contactAccountRoutes(app: FastifyInstance): void {
  serve(app, contactAccountsApi.getContactAccount, async ({ db, account }, { id }) => {
    requireOwn(account, id)
    return toContactAccount(account, await getImportDefaults(db, account))
  })
  serve(
    app,
    contactAccountsApi.createContactAccount,
    async ({ db, account, actor }, { body: { accountId = account, ...defaults } }) => {
      requireOwn(account, String(accountId))
      return toContactAccount(account, await setImportDefaults(db, account, actor, defaults))
    },
  )
  serve(app, contactAccountsApi.updateContactAccount, async ({ db, account, actor }, { id, body }) => {
    requireOwn(account, id)
    return toContactAccount(account, await setImportDefaults(db, account, actor, body))
  })
}

function requireOwn(account: AccountId, id: string): void {
  if (id !== String(account)) throw new AppError('not_found')
}

const toContactAccount = (account: AccountId, defaults: StoredImportDefaults): ContactAccount => ({
  _id: String(account),
  accountId: account,
  ...defaults,
})
