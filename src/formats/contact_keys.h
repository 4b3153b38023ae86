// Which keys of a contact or material have an effect, by the contact law and the other keys.
#ifndef HN_FORMATS_CONTACT_KEYS_H
#define HN_FORMATS_CONTACT_KEYS_H

#include "formats/fields.h"
#include "holon/contact.h"

// Sets of keys, one bit each.
unsigned hn_contact_keys_given(const hn_fields *fields);
int hn_contact_keys_have_exponent(unsigned given);
// Those of `given` that change a contact with these values; `given`: all its keys, with those of its
// material.
unsigned hn_contact_keys_acting(const hn_contact_def *def, unsigned given);
// Fails for the first key of `idle`, with the cause in this contact.
void hn_contact_key_idle(const hn_fields *fields, const hn_contact_def *def, unsigned given,
                         unsigned idle);

#endif
