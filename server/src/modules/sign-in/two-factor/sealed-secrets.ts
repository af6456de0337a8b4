import { selectSealedTwoFactor, updateSealedTwoFactor } from '#persons'
import type { SealedColumn } from '#platform/keys/sealed-column.ts'
import { twoFactorPurpose } from './two-factor-codes.service.ts'

/** Secrets of authenticator apps, to be encrypted again when the key changes. */
export const sealedTwoFactorSecrets: SealedColumn = {
  name: 'persons.two_factor_secret',
  purpose: twoFactorPurpose,
  isOfAccounts: false,
  select: (db, _account, page) => selectSealedTwoFactor(db, page),
  replace: (db, _account, row, sealed) => updateSealedTwoFactor(db, row, sealed),
}
