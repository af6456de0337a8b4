import type { FieldEntry, TypePreview, TypeReading } from '@portico/contract/fields'
import { type FieldType, fieldTypes } from '@portico/domain/field-types'
import { Alert, Button, Checkbox, Group, Loader, Select, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { readingKey, readingText, typeLabels, usesWithProblem } from './field-texts.ts'
import { useChangeFieldType, useTypePreview } from './fields-queries.ts'
import { TypePreviewDetails } from './type-preview-details.tsx'

type FieldTypeDialogProps = { field: FieldEntry; onClose: () => void }

const width = 640

/** Changes the type of a field, after a preview of the effect on its values. */
export function FieldTypeDialog({ field, onClose }: FieldTypeDialogProps) {
  const [type, setType] = useState<FieldType | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const [consent, setConsent] = useState(noConsent)
  const preview = useTypePreview(field._id, type)
  const change = useChangeFieldType(field._id)
  const reading = preview.data && readingOf(preview.data, chosen)
  const broken = preview.data ? usesWithProblem(preview.data.uses).length : 0
  const isLoss = preview.data !== undefined && preview.data.filled > 0 && reading?.converted === 0
  const hasConsent = (broken === 0 || consent.broken === broken) && (!isLoss || consent.loss)
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    if (!reading || !hasConsent) return
    change.mutate(
      { reading: reading.reading, broken },
      {
        onSuccess: () => {
          notifyDone(`The type of '${field.name}' is being changed to ${typeLabels[reading.reading.type]}.`)
          onClose()
        },
        // The field may have other uses by now.
        onError: () => void preview.refetch(),
      },
    )
  }
  const choose = (next: string | null): void => {
    setType(fieldTypes.find((each) => each === next) ?? null)
    setChosen(null)
    setConsent(noConsent)
    change.reset()
  }
  const isBlocked = problemOf(preview.data) !== null
  const problem = problemOf(preview.data) ?? (change.error && messageOf(change.error))
  return (
    <FormDialog
      title={`Change the type of ${field.name}`}
      width={width}
      guard={{ isDirty: type !== null, isBusy: change.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={onSubmit}
        footer={
          <>
            {problem && (
              <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" mb="sm">
                {problem}
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={change.isPending}>
                Cancel
              </Button>
              <Button type="submit" loading={change.isPending} disabled={!reading || !hasConsent || isBlocked}>
                Change Type
              </Button>
            </Group>
          </>
        }
      >
        <Stack gap="sm">
          <Select
            label="New Type"
            description={`The type is ${typeLabels[field.type]} now. Contacts keep this type until all values are converted.`}
            placeholder="Choose a type"
            data={fieldTypes
              .filter((each) => each !== field.type)
              .map((each) => ({ value: each, label: typeLabels[each] }))}
            value={type}
            onChange={choose}
            data-autofocus
          />
          {type !== null && preview.isError && (
            <FailureState message={messageOf(preview.error)} onRetry={() => void preview.refetch()} />
          )}
          {type !== null && preview.isPending && <Loader size={18} aria-label="Reading the values of all contacts" />}
          {preview.data && hasChoice(preview.data) && (
            <ReadingChoice
              preview={preview.data}
              value={reading ? readingKey(reading.reading) : null}
              onChange={(key) => {
                setChosen(key)
                setConsent((now) => ({ ...now, loss: false }))
              }}
            />
          )}
          {preview.data && <TypePreviewDetails preview={preview.data} reading={reading ?? null} />}
          {!isBlocked && <Consents isLoss={isLoss} broken={broken} consent={consent} onChange={setConsent} />}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

/** The chosen reading, or the one that the values determine; undefined if the user has to choose. */
function readingOf({ readings, isAmbiguous }: TypePreview, chosen: string | null): TypeReading | undefined {
  return readings.find(({ reading }) => readingKey(reading) === chosen) ?? (isAmbiguous ? undefined : readings[0])
}

/** The losses that the user has accepted: of all values, and of this number of things that will no longer work. */
type Consent = { loss: boolean; broken: number | null }

const noConsent: Consent = { loss: false, broken: null }

type ConsentsProps = { isLoss: boolean; broken: number; consent: Consent; onChange: (consent: Consent) => void }

function Consents({ isLoss, broken, consent, onChange }: ConsentsProps) {
  return (
    <>
      {isLoss && (
        <Checkbox
          label="Change the type, though no value converts"
          checked={consent.loss}
          onChange={({ currentTarget: { checked } }) => onChange({ ...consent, loss: checked })}
        />
      )}
      {broken > 0 && (
        <Checkbox
          label={`Change the type, though ${formatCount(broken, 'thing')} will no longer work`}
          checked={consent.broken === broken}
          onChange={({ currentTarget: { checked } }) => onChange({ ...consent, broken: checked ? broken : null })}
        />
      )}
    </>
  )
}

type ReadingChoiceProps = { preview: TypePreview; value: string | null; onChange: (key: string | null) => void }

function ReadingChoice({ preview: { readings, isAmbiguous }, value, onChange }: ReadingChoiceProps) {
  return (
    <Select
      label="How the texts are read"
      description={isAmbiguous ? 'The values fit both and mean something else in each: choose one.' : null}
      placeholder="Choose a reading"
      data={readings.map(({ reading, converted }) => ({
        value: readingKey(reading),
        label: `${readingText(reading)} (converts ${formatNumber(converted)})`,
      }))}
      value={value}
      onChange={onChange}
    />
  )
}

/** Whether there are readings to choose from: readings that give the same values for all texts count as one. */
const hasChoice = ({ readings, isAmbiguous }: TypePreview): boolean =>
  isAmbiguous || new Set(readings.map(({ converted }) => converted)).size > 1

/** The reason the change would be refused; null if there is none, or before it is known. */
const problemOf = (preview: TypePreview | undefined): string | null => preview?.obstacle ?? null
