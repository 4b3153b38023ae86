// Keys of roads and of their patches: a part of the tables of keys.c, which alone includes it.
#ifndef HN_FORMATS_KEYS_ROAD_H
#define HN_FORMATS_KEYS_ROAD_H

#define ROAD_WORDS "flat polyline cosine-bump half-cylinder table plane height-field random crg"

static const hn_key road_keys[] = {
    TYPE_ROW(ROAD_WORDS),
    {"points", HN_KEY_PAIRS, HN_LENGTH, "", REQUIRED, "[[x, z], ...], x increasing"},
    {"start", HN_KEY_NUMBER, HN_LENGTH, "", "0", "x where the bump begins; middle of a cylinder"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "of the bump"},
    {"height", HN_KEY_NUMBER, HN_LENGTH, "", "0", "of the bump, or of the flat road"},
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "of the half cylinder"},
    {"envelope", HN_KEY_NUMBER, HN_LENGTH, "", "0",
     "the path of a rigid disc of this radius instead of the raw profile"},
    {"speed", HN_KEY_NUMBER, HN_SPEED, "", "0", "the profile moves along +x"},
    {"slope", HN_KEY_NUMBER, HN_NUMBER, "", "0", "of a plane along x, m/m: up where x grows"},
    {"bank", HN_KEY_NUMBER, HN_NUMBER, "", "0", "of a plane along y, m/m: up where y grows"},
    {"file", HN_KEY_TEXT, HN_NUMBER, "", REQUIRED,
     "of heights (.csv, .npy: rows along x, the first at the least y; .png: grey, its top at the "
     "greatest y) or of OpenCRG"},
    {"origin", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "[0, 0]", "x and y of its first point"},
    {"spacing", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", REQUIRED, "of its points along x and y"},
    {"scale", HN_KEY_NUMBER, HN_NUMBER, "", "1", "of its heights; of a picture: that of white, m"},
    {"class", HN_KEY_CHOICE, HN_NUMBER, "A B C D E F G H", REQUIRED, "of ISO 8608"},
    {"seed", HN_KEY_NUMBER, HN_NUMBER, "", "1", "another number is another road"},
    {"track", HN_KEY_NUMBER, HN_LENGTH, "", "1.5", "distance of tracks with true coherence"},
    {"friction", HN_KEY_NUMBER, HN_NUMBER, "", "1", "factor to the friction of tyres with a model"},
    {"patches", HN_KEY_LIST, HN_NUMBER, "patch", "none", "areas with a friction of their own"},
    ENTRY_ROWS,
};

static const hn_key patch_keys[] = {
    {"x", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "everywhere", "from and to"},
    {"y", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "everywhere", "from and to"},
    {"friction", HN_KEY_NUMBER, HN_NUMBER, "", REQUIRED,
     "instead of the road's; the last one counts"},
    {"ramp", HN_KEY_NUMBER, HN_LENGTH, "", "0.1", "width over which it changes at the edges"},
};

#endif
