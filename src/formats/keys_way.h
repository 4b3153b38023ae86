// Keys of what a tendon passes (formats/keys.c).
#ifndef HN_FORMATS_KEYS_WAY_H
#define HN_FORMATS_KEYS_WAY_H

static const hn_key way_keys[] = {
    {"body", HN_KEY_NAME, HN_NUMBER, "body", "none", "of a point: its body"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "its center of mass",
     "of a point: position in the reference configuration"},
    {"around", HN_KEY_SECTION, HN_NUMBER, "around", "none",
     "instead of a point: a sphere or cylinder between two points"},
    {"pulley", HN_KEY_NUMBER, HN_NUMBER, "", "none",
     "instead of a point: divides length and force of the following parts by this number"},
};

static const hn_key around_keys[] = {
    {"body", HN_KEY_NAME, HN_NUMBER, "body", REQUIRED, "body it is fixed to"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "its center of mass", "its center at the start"},
    {"axis", HN_KEY_DIRECTION, HN_NUMBER, "", "none", "of a cylinder; without one it is a sphere"},
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "of both"},
    {"side", HN_KEY_SECTION, HN_NUMBER, "side", "the shorter way",
     "a point on the side where the tendon passes; closer to the center than the radius: it passes "
     "inside"},
};

static const hn_key side_keys[] = {
    {"body", HN_KEY_NAME, HN_NUMBER, "body", REQUIRED, "whose point"},
    {"at", HN_KEY_POINT, HN_LENGTH, "", "its center of mass",
     "position in the reference configuration"},
};

#endif
