// Holon: analysis of a model at its present state: counts, mobility, redundancy, equilibrium.
#ifndef HOLON_ANALYSIS_H
#define HOLON_ANALYSIS_H

#include "holon/model.h"
#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// One joint or driver with rows that could be left out, or whose reaction is a choice.
typedef struct hn_redundant_joint {
  int is_driver; // id counts drivers instead of joints
  int id;
  int row_count;
  int rows[8]; // which of its rows
  // Of the six components of a joint's reaction (force x y z, torque x y z), 1 for those that are a
  // choice; the others are determined, whatever the joint shares with others. Of not_unique only.
  unsigned char here[6];   // at this position, global axes
  unsigned char global[6]; // at this and any other position of the model, global axes
  unsigned char local[6];  // the same along the joint's axes on its second body
} hn_redundant_joint;

// Text of constraint equation `row` of a joint type: "force along the axis". Static; null outside
// the joint's equations.
HN_API const char *hn_joint_row_text(hn_joint_type type, int row);

// How a body hangs in the tree of relative coordinates.
typedef struct hn_tree_entry {
  int body;
  int parent; // body; 0: ground
  int joint;  // between the two; -1: free in space
  int depth;  // bodies from ground; 1 for those on ground or free
} hn_tree_entry;

// Counts as `holon check` prints them. Arrays are owned by the report.
typedef struct hn_mobility {
  int bodies, joints, drivers, forces;
  int rows;        // of joints and drivers, without normalizations
  int rank;        // of those rows, at the assembled position
  int equations;   // constraint equations + normalizations; in relative coordinates loop closures +
                   // normalizations
  int coordinates; // nq
  int speeds;      // nu
  int degrees_of_freedom; // speeds - rank: degrees of freedom of position
  int loops;              // independent loops of the joint graph
  int parts;              // biconnected parts of the joint graph
  int redundant_count;
  hn_redundant_joint *redundant; // a smallest set whose removal leaves full rank
  int not_unique_count;
  hn_redundant_joint *not_unique; // every joint with weight in the left null space
  int weightless_count;
  int *weightless; // bodies with a rotation that has no inertia and no row to hold it
  int cut_rows;    // relative coordinates: rows that are solved for; -1 in other coordinates
  int tree_count;
  hn_tree_entry *tree; // relative coordinates: bodies, each after its parent, branch by branch
  int cut_count;
  int *cut;         // ... joints with rows among the cut ones
  int nonholonomic; // independent conditions on velocities alone (rolling, knife edges): velocities
                    // have that many degrees of freedom fewer than positions
  int held_count;
  int *held; // bodies that joints of a loop hold against ground, without a driver: they cannot move
  int free_count;
  int *free;      // bodies that no joint, driver or coupling holds: 6 degrees of freedom each
  char note[512]; // worth a warning: nothing can move, and why; empty: nothing to say
} hn_mobility;

// Mobility at the simulation's present position. Free with hn_mobility_free.
HN_API hn_status hn_simulation_mobility(hn_simulation *simulation, hn_mobility *mobility);
HN_API void hn_mobility_free(hn_mobility *mobility);
// Degrees of freedom that drivers prescribe: the number of drivers that are not redundant.
HN_API int hn_mobility_prescribed(const hn_mobility *mobility);
// Name of a component of a reaction: "force.x" to "torque.z". Static; null outside 0 to 5.
HN_API const char *hn_reaction_component(int component);
// "force z; torque x, y": components of an entry's reaction that are marked (force x y z, torque x y z);
// all three of a kind go without axes. Returns text.
HN_API const char *hn_reaction_components_text(const unsigned char marked[6], char *text, int size);
// The joint or driver of an entry.
HN_API const char *hn_redundant_name(const hn_model *model, const hn_redundant_joint *joint);
// The report as `holon check --json` and `holon check` print it. For hn_text_free.
HN_API hn_status hn_mobility_json(hn_simulation *simulation, const hn_mobility *mobility,
                                  char **text);
HN_API hn_status hn_mobility_text(hn_simulation *simulation, const hn_mobility *mobility,
                                  char **text);

// One component as a level of method components (docs/howto/components.md).
typedef struct hn_level {
  const char *name; // of the component; null: the model itself
  int parent;       // level above; -1: the model itself
  int depth;
  int bodies;        // its own
  int joint_rows;    // that it solves: of joints between what it contains
  int dependent;     // of them: say what others say
  int border_bodies; // connected from above
  int d_size;        // of D, which is all that is seen from above
  int is_sealed;
  int is_dense;                // solved by QR; else by sparse L D L'
  double a_density, h_density; // fraction of A = L' G' and of H = G U that is not zero by its
                               // pattern
} hn_level;
// The levels at the present position: at most `capacity` are written, *count is their number.
HN_API hn_status hn_simulation_levels(hn_simulation *simulation, hn_level *levels, int capacity,
                                      int *count);

typedef struct hn_statics_options {
  size_t size;        // of this struct; 0: the first version
  int max_iterations; // 0: 200
  double tolerance;   // of the residual force, relative to the largest force; 0: 1e-10
} hn_statics_options;
HN_API hn_statics_options hn_default_statics_options(void);

typedef struct hn_statics_report {
  int iterations;
  double residual;    // largest unbalanced generalized force along a free direction, N or N m
  int neutral_count;  // directions without restoring force, kept at their initial values
  char neutral[1024]; // their main bodies and axes, in words
  int unheld;         // of them: more than the whole model on level ground, in x, y and yaw
  int stable;         // 1: the potential has a minimum in all other directions; where laws read
                      // signals: no small motion grows
  int stable_unknown; // 1: more than 100 bodies; all soft directions found are neutral, but others
                      // may be neutral too, or unstable and as soft
  int came_to_rest;   // 1: with rigid contacts: released at its position, and stopped `iterations`
                      // times on the way; stability is not checked
  hn_warning warning; // a body went further than it should; message empty: none did
} hn_statics_report;

// Moves the simulation to static equilibrium near its present position. Velocities are zero;
// drivers and roads are frozen at the present time, so that dampers carry no force and drivers only
// the static load. The next step, or a saved state, has the velocities of the drivers again. On
// failure the position is unchanged.
HN_API hn_status hn_simulation_equilibrium(hn_simulation *simulation,
                                           const hn_statics_options *options,
                                           hn_statics_report *report);

// Positions, forces and reactions there, as `holon statics --json` and `holon statics` print them.
// mobility: which reactions are unique; may be null. For hn_text_free.
HN_API hn_status hn_statics_json(hn_simulation *simulation, const hn_mobility *mobility,
                                 const hn_statics_report *report, char **text);
HN_API hn_status hn_statics_text(hn_simulation *simulation, const hn_mobility *mobility,
                                 const hn_statics_report *report, char **text);

// After an equilibrium: gives drivers and model their velocities again. The next step does this
// too.
HN_API hn_status hn_simulation_release_drivers(hn_simulation *simulation);

// Sets time and solves positions, velocities and accelerations of a model whose drivers prescribe
// all degrees of freedom (else HN_ERROR_MODEL, naming a free one).
HN_API hn_status hn_simulation_kinematics(hn_simulation *simulation, double time);

#ifdef __cplusplus
}
#endif

#endif
