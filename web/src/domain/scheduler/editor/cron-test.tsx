import { schedulerApi } from '@portico/contract/scheduler'
import { messages } from '@portico/contract/messages'
import { type CronTestPart, type CronTestResult, readTested } from '@portico/contract/scheduler/cron-tests'
import type { Cron, CronDraft } from '@portico/contract/scheduler/crons'
import { Alert, Button, type MantineSpacing, Stack, Table, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import IconPlugConnected from '#icons/IconPlugConnected'
import { call } from '#lib/api/api.ts'
import { ApiError } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { useMayCall } from '#lib/session/may-call.ts'
import { useSubmit } from '#lib/submit.ts'
import { draftOf, keptDraft, type Whole } from './cron-values.ts'
import { type DialogFields, fieldInDialog } from './use-cron-editing.ts'

type CronTestProps = {
  part: CronTestPart
  label: string
  whole: Whole
  form: DialogFields
  mt?: MantineSpacing
}

/** The values that a test's result depends on: once they change, it no longer applies. */
const tested: Record<CronTestPart, (values: Whole['values']) => unknown[]> = {
  transfer: ({ transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser, ftpPass }) => [
    [transferProtocol, ftpHost, ftpFolder],
    [ftpPort, ftpUser, ftpPass],
  ],
  email: ({ name, notification, cronTZ }) => [name, notification, cronTZ],
  cells: ({ url, cells, rdl, offset, cronTZ }) => [url, cells, rdl, offset, cronTZ],
}

/** A button that tests a part of a cron with the dialog's current values, and the result. */
export function CronTest({ part, label, whole, form, mt = 0 }: CronTestProps) {
  const { kept, values } = whole
  const mayCreate = useMayCall(schedulerApi.testCron)
  const mayChange = useMayCall(schedulerApi.testCronChange)
  const asked = JSON.stringify(tested[part](values))
  const trial = useMutation({
    mutationFn: ({ body }: { body: CronDraft; asked: string }) => test(part, body, kept),
  })
  const { submit, problem, isBusy } = useSubmit(form, trial, { findField: fieldInDialog })
  if (!(kept ? mayChange : mayCreate)) return null
  const isCurrent = trial.variables?.asked === asked
  return (
    <Stack gap="xs" align="flex-start" mt={mt}>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={15} aria-hidden />}
        loading={isBusy}
        onClick={() => submit({ body: draftOf(whole), asked })}
      >
        {label}
      </Button>
      <div aria-live="polite" style={{ width: '100%' }}>
        {isCurrent && trial.data && <Result result={trial.data} />}
        {isCurrent && trial.error && (
          <Alert color="red" p="8px 12px">
            {problem ?? 'Correct the marked fields first.'}
          </Alert>
        )}
      </div>
    </Stack>
  )
}

/** @throws ApiError naming the fields that the test lacks, before anything is sent */
async function test(part: CronTestPart, body: CronDraft, kept: Cron | null): Promise<CronTestResult> {
  const before = kept && { ...keptDraft(kept), hasPassword: kept.transferProtocol !== '' }
  const read = readTested(part, body, before)
  if ('problems' in read) throw new ApiError('invalid_input', messages.invalid, read.problems)
  return kept
    ? call(schedulerApi.testCronChange, { id: kept._id, part, body })
    : call(schedulerApi.testCron, { part, body })
}

function Result({ result: { isOk, message, cells = [] } }: { result: CronTestResult }) {
  return (
    <Alert color={isOk ? 'green' : 'red'} p="8px 12px" style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{message}</Text>
      {cells.length > 0 && (
        <Table mt={6} verticalSpacing={3} horizontalSpacing="xs" aria-label="Rows of the tables and charts">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Table or chart</Table.Th>
              <Table.Th>Rows</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {cells.map(({ id, title, rows, error }) => (
              <Table.Tr key={id}>
                <Table.Td>{title}</Table.Td>
                <Table.Td>{error ?? formatNumber(rows ?? 0)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Alert>
  )
}
