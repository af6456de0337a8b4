import type { KeyComputation } from '@portico/contract/dedup-keys'
import { Alert, Button, Progress, Stack, Text } from '@mantine/core'
import IconInfoCircle from '#icons/IconInfoCircle'
import { foldName } from '@portico/domain/names'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { isRunning } from '#domain/job-lists'
import { NameList } from '#ui/page/name-list.tsx'
import { useComputeDedupKeys, useDedupKeys } from '../imports-queries.ts'
import type { NewImportForm } from '../new-import/new-import-form-state.ts'

/**
 * Offers keys for contacts without one: of before the first import with dedup columns, or whose counterpart with the key is
 * gone. Shows how far they are; the result only until imports have fixed the columns (`isLocked`).
 */
export function LateKeys({ form, isLocked }: { form: NewImportForm; isLocked: boolean }) {
  const keys = useDedupKeys()
  const compute = useComputeDedupKeys()
  const { columnMapping, dedupColumns } = form.values
  const { contactsWithoutKey = 0, computation = null } = keys.data ?? {}
  if (computation && isRunning(computation)) return <Running computation={computation} />
  if (contactsWithoutKey === 0 && computation?.status !== 'rejected') {
    return computation && !isLocked && <Done computation={computation} />
  }
  const targets = new Map(Object.entries(columnMapping).map(([column, field]) => [foldName(column), field]))
  const fields = dedupColumns.map((name) => targets.get(foldName(name)) ?? name)
  const have = contactsWithoutKey === 1 ? '1 contact has' : `${formatNumber(contactsWithoutKey)} contacts have`
  return (
    <Alert icon={<IconInfoCircle size={17} />} title="Existing contacts have no dedup key">
      <Stack gap="xs" align="flex-start">
        {computation?.reason && <Text size="sm">{`The keys could not be computed: ${computation.reason}`}</Text>}
        {contactsWithoutKey > 0 && (
          <Text size="sm">{`${have} no key yet, so rows for them would add them a second time.`}</Text>
        )}
        <Text size="sm">
          Compute the keys from these columns first.
          {!isLocked && ' All later imports then have the same dedup columns.'}
        </Text>
        <Button
          size="xs"
          disabled={fields.length === 0}
          loading={compute.isPending}
          onClick={() => compute.mutate(fields, { onSuccess: () => form.clearFieldError('dedupColumns') })}
        >
          Compute keys for existing contacts
        </Button>
        {compute.error && (
          <Text role="alert" size="sm" c="red">
            {messageOf(compute.error)}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

function Running({ computation }: { computation: KeyComputation }) {
  const { processedRecords: done, totalRecords: total } = computation
  const text = `Computing keys: ${formatNumber(done)} of ${formatCount(total, 'contact')}`
  return (
    <Alert icon={<IconInfoCircle size={17} />} title="Keys are being computed">
      <Text component="output" display="block" size="sm" mb="xs">
        {`${text}. Submit the import when this has ended.`}
      </Text>
      <Progress value={total === 0 ? 100 : (100 * done) / total} aria-label="Keys computed" />
    </Alert>
  )
}

function Done({ computation }: { computation: KeyComputation }) {
  const { keyedRecords, blankRecords, duplicateRecords, duplicates, dedupColumns } = computation
  const columns = dedupColumns.join(', ')
  const listed = duplicates.map(({ contact, other }) => `${contact}: as ${other}`)
  // None is listed for those who may not read these columns of all contacts.
  const isCut = duplicates.length > 0 && duplicateRecords > duplicates.length
  const more = isCut ? [`The first ${duplicates.length} are listed.`] : []
  const have = (count: number) => `${formatCount(count, 'contact')} ${count === 1 ? 'has' : 'have'}`
  return (
    <Alert icon={<IconInfoCircle size={17} />} title={`Keys of existing contacts: ${columns}`}>
      <Text component="output" display="block" size="sm">
        {`${have(keyedRecords)} a key.`}
        {blankRecords > 0 && ` ${have(blankRecords)} no value in these columns.`}
      </Text>
      {duplicateRecords > 0 && (
        <>
          <Text size="sm" my="xs">
            {`${have(duplicateRecords)} the key of another one and ${duplicateRecords === 1 ? 'stays' : 'stay'} without: rows of files update the other. Merge them in Search & Analyze.`}
          </Text>
          <NameList names={[...listed, ...more]} />
        </>
      )}
    </Alert>
  )
}
