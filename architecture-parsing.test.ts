import { describe, expect, test } from 'vitest'
import { moduleFiles, read, withoutComments } from './architecture-files.ts'

// The contract reads a request once (ADR 0085): a handler that parses a value again may act on something other than the
// value that the conditions of policies have checked.

const takingApart =
  /\.split\(|\bJSON\.parse\(|\b(?:parseJson|jsonIn|readColumnList|readEmailList|readAuthentication|readDefinition)\(/g

const byContract = 'The contract has written the text, and conditions judge what this same function reads.'
const stored = 'Reads what the portal has stored.'
const ownText = 'Takes apart a text of the portal itself.'
const ofFile = 'Reads a file or the answer of a service.'
const unconditional = 'No condition of a policy judges its calls.'

/** Why a module may parse a text. */
const reasons: Record<string, string> = {
  'access/evaluator/condition-implication.ts': 'Reads the values of conditions.',
  'access/evaluator/condition-stages.ts': 'Reads the value of a condition.',
  'access/evaluator/condition-values.ts': 'Reads the name in a condition.',
  'access/evaluator/condition.ts': 'Reads the value of a condition.',
  'access/evaluator/containment.ts': 'Compares actions of policies.',
  'access/evaluator/granted-actions.ts': 'Compares actions of policies.',
  'access/condition-renaming.ts': 'Reads the conditions of stored policies.',
  'access/condition-samples.ts': 'Reads the name in a condition.',
  'access/evaluator/limit.ts': 'Reads networks of identities, and addresses.',
  'accounts/preferences.service.ts': unconditional,
  'audit/audit-csv.ts': stored,
  'credentials/credential-authentication.service.ts': 'Reads the header that authenticates.',
  'credentials/credential-secret.ts': 'Reads the header that authenticates.',
  'credentials/impersonations.service.ts': unconditional,
  'credentials/stored-renaming.ts': stored,
  'dashboards/cells/stored-dashboards.ts': stored,
  'dashboards/saving.service.ts': byContract,
  'deletes/deletes.service.ts': stored,
  'delivery/body-secrets.ts': 'Reads names, to hide what is stored below them.',
  'delivery/clean-html.ts': ownText,
  'delivery/delivery-secrets.ts': stored,
  'delivery/hidden-values.ts': 'Looks for secrets in outcomes of deliveries.',
  'delivery/send-email.ts': byContract,
  'demo/person.ts': ownText,
  'demo/places-europe.ts': ownText,
  'demo/places-us.ts': ownText,
  'demo/word-lists.ts': ownText,
  'exports/export-stages.service.ts': byContract,
  'files/limited-storage.ts': ownText,
  'files/living-links.service.ts': ownText,
  'access/evaluator/holder.ts': stored,
  'files/pending-files.service.ts': ownText,
  'dashboards/field-uses.ts': stored,
  'files/signed-links.ts': ownText,
  'files/uploads.service.ts': ownText,
  'geocoding/gazetteer.ts': 'Looks a city up in public data: "City, State" is one place.',
  'geocoding/geocoder.ts': ofFile,
  'geocoding/place-index.ts': ofFile,
  'imports/header/first-lines.ts': ofFile,
  'imports/workbook/cell-numbers.ts': ownText,
  'imports/workbook/number-formats.ts': ofFile,
  'imports/workbook/workbook-file.ts': ofFile,
  'imports/workbook/xml-scanner.ts': ofFile,
  'profile/profile.service.ts': ownText,
  'remote-access/collector/collector.service.ts': unconditional,
  'remote-access/rating/guessing.ts': 'Counts words of stored values.',
  'remote-access/remote-accesses.service.ts': byContract,
  'reports/report-destinations.ts': byContract,
  'saved-filters/saved-filters.service.ts': byContract,
  'saved-filters/parent-stages.service.ts': byContract,
  'scheduler/calendar/calendar.service.ts': 'Reads one of the fixed choices of hours.',
  'scheduler/crons/cron-secrets.ts': stored,
  'sign-in/passkeys/challenges.ts': 'Reads what the portal has sealed.',
  'scheduler/crons/crons.service.ts': stored,
  'scheduler/runs/cron-email.service.ts': byContract,
  'search/selection.ts': byContract,
  'senders/sender-names.ts': 'Looks for addresses in a name, as recipients see it.',
  'sign-in/passwords/passwords.ts': stored,
  'sign-in/sessions/device.ts': 'Reads the name of a browser.',
}

const found = moduleFiles
  .filter((file) => withoutComments(read(file)).match(takingApart) !== null)
  .map((file) => file.replace('server/src/modules/', ''))

describe('modules do not parse request values that conditions have already judged', () => {
  test.each(found)('%s has a reason for parsing text', (file) => {
    expect(Object.keys(reasons), 'Let the contract read it (contract/src/read-text.ts), or add a reason').toContain(
      file,
    )
  })

  test('every reason is needed', () => {
    expect(Object.keys(reasons).filter((file) => !found.includes(file))).toEqual([])
  })
})
