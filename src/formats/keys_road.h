// Keys of roads and of their patches: a part of the tables of keys.c, which alone includes it.
#ifndef HN_FORMATS_KEYS_ROAD_H
#define HN_FORMATS_KEYS_ROAD_H

#define ROAD_WORDS "flat polyline cosine-bump half-cylinder table plane height-field random crg"

static const hn_key road_keys[] = {
    TYPE_ROW(ROAD_WORDS),
    {"points", HN_KEY_PAIRS, HN_LENGTH, "", REQUIRED, "[[x, z], ...], x increasing"},
    {"start", HN_KEY_NUMBER, HN_LENGTH, "", "0", "start of the bump along x; center of a cylinder"},
    {"length", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "of the bump"},
    {"height", HN_KEY_NUMBER, HN_LENGTH, "", "0", "of the bump, or of the flat road"},
    {"radius", HN_KEY_NUMBER, HN_LENGTH, "", REQUIRED, "of the half cylinder"},
    {"envelope", HN_KEY_NUMBER, HN_LENGTH, "", "0",
     "replaces the profile by the path of a rigid disc of this radius"},
    {"speed", HN_KEY_NUMBER, HN_SPEED, "", "0", "the profile moves along +x"},
    {"slope", HN_KEY_NUMBER, HN_NUMBER, "", "0", "slope of a plane along x, m/m"},
    {"bank", HN_KEY_NUMBER, HN_NUMBER, "", "0", "slope of a plane along y, m/m"},
    {"file", HN_KEY_TEXT, HN_NUMBER, "", REQUIRED,
     "height field (.csv, .npy: one line per y, min y first; .png: gray, top at max y) or OpenCRG"},
    {"origin", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "[0, 0]", "x, y of the first point"},
    {"spacing", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", REQUIRED, "grid spacing along x and y"},
    {"scale", HN_KEY_NUMBER, HN_NUMBER, "", "1", "factor of the heights; .png: height of white, m"},
    {"class", HN_KEY_CHOICE, HN_NUMBER, "A B C D E F G H", REQUIRED, "of ISO 8608"},
    {"seed", HN_KEY_NUMBER, HN_NUMBER, "", "1", "seed of the random numbers"},
    {"track", HN_KEY_NUMBER, HN_LENGTH, "", "1.5",
     "track width, for coherent left and right profiles"},
    {"friction", HN_KEY_NUMBER, HN_NUMBER, "", "1", "friction factor for tyres with a model"},
    {"patches", HN_KEY_LIST, HN_NUMBER, "patch", "none", "areas with different friction"},
    ENTRY_ROWS,
};

static const hn_key patch_keys[] = {
    {"x", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "everywhere", "from and to"},
    {"y", HN_KEY_TWO_NUMBERS, HN_LENGTH, "", "everywhere", "from and to"},
    {"friction", HN_KEY_NUMBER, HN_NUMBER, "", REQUIRED,
     "replaces that of the road; the last patch applies"},
    {"ramp", HN_KEY_NUMBER, HN_LENGTH, "", "0.1", "width of the transition at the edges"},
};

#endif
